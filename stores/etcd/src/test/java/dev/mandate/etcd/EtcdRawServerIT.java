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

    @Override
    String parameters() {
        return "?format=raw";
    }
}
