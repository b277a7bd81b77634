package dev.mandate.nats;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Three servers for all tests of one class. */
final class NatsClusterExtension implements BeforeAllCallback, AfterAllCallback {
    private final String version;
    private volatile @Nullable NatsCluster cluster;

    /** {@code version} is a name of {@link NatsServer}. */
    NatsClusterExtension(String version) {
        this.version = version;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        cluster = NatsCluster.start(version);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        @Nullable NatsCluster started = cluster;
        if (started != null) {
            started.close();
        }
    }

    NatsCluster cluster() {
        return requireNonNull(cluster, "there is a cluster from before the first test on");
    }
}
