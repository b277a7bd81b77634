package dev.mandate.etcd;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class EtcdStore34ServerIT extends EtcdStoreScenarios {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V34);

    @Override
    ServerExtension etcd() {
        return ETCD;
    }
}
