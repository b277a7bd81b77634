package dev.mandate.etcd;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** One lease, whose id the server chooses. */
final class EtcdSession implements StoreSession {
    private final EtcdConnection connection;
    private final Layout layout;
    private final long lease;
    private final Duration granted;

    EtcdSession(EtcdConnection connection, Layout layout, long lease, Duration granted) {
        this.connection = connection;
        this.layout = layout;
        this.lease = lease;
        this.granted = granted;
    }

    long lease() {
        return lease;
    }

    boolean isOf(EtcdConnection other) {
        return connection == other;
    }

    /** The lease id as {@code etcdctl lease list} shows it. */
    @Override
    public String id() {
        return Long.toHexString(lease);
    }

    @Override
    public Duration granted() {
        return granted;
    }

    /**
     * {@inheritDoc} Sends two requests at once: the renewal and a linearizable read. A deposed leader that does not
     * know it yet would confirm a renewal that counts nowhere, so both answers must have the same raft term.
     */
    @Override
    public CompletionStage<SessionRenewal> renew(CallContext call) {
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(lease).build();
        String what = "renewing lease " + id();
        CompletableFuture<LeaseKeepAliveResponse> renewed =
                connection.call(what, LeaseGrpc.getLeaseKeepAliveMethod(), request, call);
        CompletableFuture<RangeResponse> quorum =
                connection.call(what, KVGrpc.getRangeMethod(), layout.look(true), call);
        connection.keepTokensWarm(layout.look(false), call);
        CompletableFuture<SessionRenewal> both = renewed.thenCombine(quorum, this::renewal);
        // The first failure is enough.
        Stream.of(renewed, quorum)
                .forEach(each -> each.exceptionally(failure -> {
                    both.completeExceptionally(failure);
                    return null;
                }));
        return both.exceptionallyCompose(failure -> isGone(failure)
                ? CompletableFuture.completedFuture(SessionRenewal.gone())
                : CompletableFuture.failedFuture(Causes.unwrapped(failure)));
    }

    /** Combines both answers. */
    SessionRenewal renewal(LeaseKeepAliveResponse answer, RangeResponse quorum) {
        connection.saw(quorum.getHeader());
        if (answer.getID() != lease || answer.getTTL() < 0) {
            throw new StoreUnavailableException(
                    connection.name() + ": renewing lease " + id() + ": the answer is for lease "
                            + Long.toHexString(answer.getID()) + " and " + answer.getTTL() + " s");
        }
        long term = answer.getHeader().getRaftTerm();
        if (term != quorum.getHeader().getRaftTerm()) {
            throw new StoreUnavailableException(connection.name() + ": renewing lease " + id()
                    + ": the cluster changed its leader meanwhile (raft term " + term + ", then "
                    + quorum.getHeader().getRaftTerm() + "); trying again");
        }
        // A renewed lease gets back its full length, never more.
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
