package dev.mandate.etcd;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With the leader's value itself in the key. */
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
        return 100;
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
