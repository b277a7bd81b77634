package dev.mandate.etcd;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** With the leader's value itself in the key. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class EtcdRawServerIT extends EtcdConformance {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    @Override
    ServerExtension etcd() {
        return ETCD;
    }

    /** Races of transactions are those of the other format. */
    @Override
    protected int rounds() {
        return 50;
    }

    @Override
    protected int terms() {
        return 300;
    }

    @Override
    String parameters() {
        return "?format=raw";
    }
}
