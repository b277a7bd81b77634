package dev.mandate.etcd;

import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A lease with heartbeats, three to its length, as the clients of etcd keep one alive. */
final class RecipeLease implements AutoCloseable {
    private final long id;
    private final ScheduledExecutorService beat = Executors.newSingleThreadScheduledExecutor();

    RecipeLease(Operator etcd, long seconds) {
        this.id = etcd.grant(seconds);
        StreamObserver<LeaseKeepAliveRequest> stream = LeaseGrpc.newStub(etcd.channel)
                .leaseKeepAlive(new StreamObserver<>() {
                    @Override
                    public void onNext(LeaseKeepAliveResponse answer) {
                        // It hopes for the best.
                    }

                    @Override
                    public void onError(Throwable failure) {
                        // It does not look.
                    }

                    @Override
                    public void onCompleted() {
                        // Nor here.
                    }
                });
        long period = TimeUnit.SECONDS.toMillis(seconds) / 3;
        var unused = beat.scheduleAtFixedRate(
                () -> stream.onNext(LeaseKeepAliveRequest.newBuilder().setID(id).build()),
                0,
                period,
                TimeUnit.MILLISECONDS);
    }

    long id() {
        return id;
    }

    /** No more heartbeats. */
    @Override
    public void close() {
        beat.shutdownNow();
    }
}
