package dev.mandate.etcd;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One lease. The server draws its number at random. */
final class EtcdSession implements StoreSession {
    private final EtcdConnection connection;
    private final long lease;
    private final Duration granted;

    EtcdSession(EtcdConnection connection, long lease, Duration granted) {
        this.connection = connection;
        this.lease = lease;
        this.granted = granted;
    }

    long lease() {
        return lease;
    }

    boolean isOf(EtcdConnection other) {
        return connection == other;
    }

    /** As {@code etcdctl lease list} shows it. */
    @Override
    public String id() {
        return Long.toHexString(lease);
    }

    @Override
    public Duration granted() {
        return granted;
    }

    @Override
    public CompletionStage<SessionRenewal> renew(CallContext call) {
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(lease).build();
        return connection
                .call("renewing lease " + id(), LeaseGrpc.getLeaseKeepAliveMethod(), request, call)
                .thenApply(this::renewal)
                .exceptionallyCompose(failure -> isGone(failure)
                        ? CompletableFuture.completedFuture(SessionRenewal.gone())
                        : CompletableFuture.failedFuture(failure));
    }

    private SessionRenewal renewal(LeaseKeepAliveResponse answer) {
        connection.saw(answer.getHeader());
        if (answer.getID() != lease || answer.getTTL() < 0) {
            throw new StoreUnavailableException(
                    connection.name() + ": renewing lease " + id() + ": the answer is for lease "
                            + Long.toHexString(answer.getID()) + " and " + answer.getTTL() + " s");
        }
        // A lease always gets back its full length: more than that is nonsense.
        return answer.getTTL() == 0
                ? SessionRenewal.gone()
                : SessionRenewal.renewed(Duration.ofSeconds(Math.min(answer.getTTL(), granted.getSeconds())));
    }

    @Override
    public CompletionStage<Void> end(CallContext call) {
        LeaseRevokeRequest request =
                LeaseRevokeRequest.newBuilder().setID(lease).build();
        return connection
                .call("ending lease " + id(), LeaseGrpc.getLeaseRevokeMethod(), request, call)
                .handle((answer, failure) -> {
                    if (failure == null || isGone(failure)) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return CompletableFuture.<Void>failedFuture(failure);
                })
                .thenCompose(stage -> stage);
    }

    private static boolean isGone(Throwable failure) {
        return Fault.isLeaseGone(Causes.unwrapped(failure));
    }
}
