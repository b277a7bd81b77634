package dev.mandate.etcd;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Candidates that queue on a real server, killed, frozen and deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class EtcdArrivalsServerIT extends ArrivalTrials {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    @Override
    protected TrialStore store() {
        return new EtcdTrialStore(EtcdServer.V35, ETCD);
    }
}
