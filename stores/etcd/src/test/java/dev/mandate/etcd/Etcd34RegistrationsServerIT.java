package dev.mandate.etcd;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.TrialStore;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Registered instances on a real server, killed, frozen, cut off and deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class Etcd34RegistrationsServerIT extends RegistrationTrials {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V34);

    @Override
    protected TrialStore store() {
        return new EtcdTrialStore(EtcdServer.V34, ETCD);
    }
}
