package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What a C++ program does by a well-known recipe: it adds the key under a lease, watches it, stands again when it is
 * deleted, and takes for the leader whoever is set in it.
 */
final class WatchRecipe implements AutoCloseable {
    private static final int TRIES = 10;

    private final Operator etcd;
    private final String id;
    private final ByteString key;
    private final RecipeLease lease;
    private final ExecutorService callbacks = Executors.newSingleThreadExecutor();
    private final Context.CancellableContext watching = Context.ROOT.withCancellation();
    private final CountDownLatch created = new CountDownLatch(1);
    private volatile String leaderId = "";

    WatchRecipe(int port, String key, String id, long leaseSeconds) throws InterruptedException {
        this.etcd = new Operator(port);
        this.id = id;
        this.key = ByteString.copyFromUtf8(key);
        this.lease = new RecipeLease(etcd, leaseSeconds);
        startElection();
        watching.run(this::watchForLeaderChange);
        created.await();
    }

    boolean isLeader() {
        return id.equals(leaderId);
    }

    String leaderId() {
        return leaderId;
    }

    private void startElection() {
        for (int tries = TRIES; tries > 0; tries--) {
            try {
                leaderId = add();
                return;
            } catch (io.grpc.StatusRuntimeException e) {
                if (tries == 1) {
                    throw e;
                }
            }
        }
    }

    /** Adds the key if there is none; what stands there then. */
    private String add() {
        Compare isVacant = Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(0)
                .build();
        RequestOp get = RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key))
                .build();
        TxnResponse answer = etcd.kv()
                .txn(TxnRequest.newBuilder()
                        .addCompare(isVacant)
                        .addSuccess(RequestOp.newBuilder()
                                .setRequestPut(PutRequest.newBuilder()
                                        .setKey(key)
                                        .setValue(ByteString.copyFromUtf8(id))
                                        .setLease(lease.id())))
                        .addSuccess(get)
                        .addFailure(get)
                        .build());
        return answer.getResponses(answer.getResponsesCount() - 1)
                .getResponseRange()
                .getKvs(0)
                .getValue()
                .toStringUtf8();
    }

    private void watchForLeaderChange() {
        StreamObserver<WatchRequest> watch = WatchGrpc.newStub(etcd.channel).watch(new StreamObserver<>() {
            @Override
            public void onNext(WatchResponse response) {
                if (response.getCreated()) {
                    created.countDown();
                }
                response.getEventsList().forEach(event -> callbacks.execute(() -> changed(event)));
            }

            @Override
            public void onError(Throwable failure) {
                // It believes on.
            }

            @Override
            public void onCompleted() {
                // The same.
            }
        });
        watch.onNext(WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder().setKey(key))
                .build());
    }

    private void changed(Event event) {
        if (event.getType() == Event.EventType.DELETE) {
            leaderId = "";
            startElection();
        } else {
            leaderId = event.getKv().getValue().toStringUtf8();
        }
    }

    /** The watch is cancelled before the lease, so that its own deletion is not answered with another candidacy. */
    @Override
    public void close() {
        watching.cancel(null);
        callbacks.shutdownNow();
        lease.close();
        etcd.revoke(lease.id());
        etcd.close();
    }
}
