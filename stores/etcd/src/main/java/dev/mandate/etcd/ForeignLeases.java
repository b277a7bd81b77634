package dev.mandate.etcd;

import dev.mandate.spi.CallContext;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The lengths of other programs' leases, as far as asked: how long to settle after one of them led. */
final class ForeignLeases {
    private static final int KNOWN_MAX = 256;

    private final EtcdConnection connection;

    /** Guarded by itself. */
    private final Map<Long, Duration> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Duration> eldest) {
            return size() > KNOWN_MAX;
        }
    };

    ForeignLeases(EtcdConnection connection) {
        this.connection = connection;
    }

    @Nullable
    Duration length(long lease) {
        synchronized (known) {
            return known.get(lease);
        }
    }

    /** Asks for the length of an unknown lease. Never fails: the length is useful but not required. */
    CompletableFuture<Boolean> ask(long lease, CallContext call) {
        LeaseTimeToLiveRequest request =
                LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        return connection
                .call("asking for a lease", LeaseGrpc.getLeaseTimeToLiveMethod(), request, call)
                .handle((answer, failure) -> {
                    if (failure != null || answer.getGrantedTTL() <= 0) {
                        return false;
                    }
                    synchronized (known) {
                        known.put(lease, Duration.ofSeconds(answer.getGrantedTTL()));
                    }
                    return true;
                });
    }
}
