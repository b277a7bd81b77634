package dev.mandate.etcd;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@EnabledIfSystemProperty(named = "mandate.trials", matches = "all", disabledReason = "-Dmandate.trials=all runs it")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class Etcd34TrialsServerIT extends EtcdTrials {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V34);

    @Override
    ServerExtension etcd() {
        return ETCD;
    }
}
