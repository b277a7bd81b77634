package dev.mandate.etcd;

import dev.mandate.testkit.ServerExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(EtcdServer.PEACE)
class EtcdUpset35ServerIT extends EtcdUpsetScenarios {
    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    @Override
    ServerExtension etcd() {
        return ETCD;
    }
}
