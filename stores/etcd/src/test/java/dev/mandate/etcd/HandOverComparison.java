package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import io.etcd.jetcd.api.CampaignRequest;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.ElectionGrpc;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.LeaderKey;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResignRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * From a resignation to the next leader, three ways in turn on one server: delete, watch and transaction by hand; the
 * election service of etcd that jetcd's {@code Election} calls; and Mandate. No test: it prints figures. Arguments: the
 * port, and the number of rounds.
 */
final class HandOverComparison {
    private static final int PAUSE_MILLIS = 60;

    private HandOverComparison() {}

    /** One way to hand over, again and again. */
    private interface Way extends AutoCloseable {
        /** The one that does not lead stands. */
        void stand();

        /** From the resignation of the one to the win of the other, in nanoseconds. */
        long handOver() throws Exception;

        @Override
        void close();
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        List<String> names = List.of("by hand", "election service", "Mandate");
        try (Way hand = new ByHand(port);
                Way service = new ByService(port);
                Way ours = new ByMandate(port)) {
            List<Way> ways = List.of(hand, service, ours);
            long[][] nanos = new long[ways.size()][rounds];
            for (int i = -20; i < rounds; i++) {
                for (int way = 0; way < ways.size(); way++) {
                    ways.get(way).stand();
                    // The same rest for all of them, long enough to stand in the queue.
                    TimeUnit.MILLISECONDS.sleep(
                            PAUSE_MILLIS + ThreadLocalRandom.current().nextInt(PAUSE_MILLIS));
                    long took = ways.get(way).handOver();
                    if (i >= 0) {
                        nanos[way][i] = took;
                    }
                }
            }
            for (int way = 0; way < ways.size(); way++) {
                Arrays.sort(nanos[way]);
                System.out.printf(
                        Locale.ROOT,
                        "%-18s p50 %6.2f ms  p99 %6.2f ms  min %6.2f ms%n",
                        names.get(way),
                        nanos[way][rounds / 2] / 1e6,
                        nanos[way][rounds * 99 / 100] / 1e6,
                        nanos[way][0] / 1e6);
            }
        }
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** Two connections, two leases, one watch each: the least that can be done. */
    private static final class ByHand implements Way {
        private final Operator[] sides;
        private final long[] leases = new long[2];
        private final List<BlockingQueue<WatchResponse>> watches = new ArrayList<>();
        private final String key = "/by-hand/" + System.nanoTime();
        private int leader;

        ByHand(int port) {
            sides = new Operator[] {new Operator(port), new Operator(port)};
            for (int i = 0; i < 2; i++) {
                leases[i] = sides[i].grant(600);
                BlockingQueue<WatchResponse> queue = new LinkedBlockingQueue<>();
                watches.add(queue);
                WatchGrpc.newStub(sides[i].channel)
                        .watch(new Queued<>(queue))
                        .onNext(WatchRequest.newBuilder()
                                .setCreateRequest(
                                        WatchCreateRequest.newBuilder().setKey(bytes(key)))
                                .build());
            }
            acquire(0);
        }

        private void acquire(int side) {
            var answer = sides[side]
                    .kv()
                    .txn(TxnRequest.newBuilder()
                            .addCompare(Compare.newBuilder()
                                    .setKey(bytes(key))
                                    .setTarget(Compare.CompareTarget.VERSION)
                                    .setVersion(0))
                            .addSuccess(RequestOp.newBuilder()
                                    .setRequestPut(PutRequest.newBuilder()
                                            .setKey(bytes(key))
                                            .setValue(bytes("x"))
                                            .setLease(leases[side])))
                            .build());
            if (!answer.getSucceeded()) {
                throw new AssertionError("the key is taken");
            }
        }

        @Override
        public void stand() {
            watches.get(1 - leader).clear();
        }

        @Override
        public long handOver() throws Exception {
            int next = 1 - leader;
            long before = System.nanoTime();
            CompletableFuture<Void> deleting = CompletableFuture.runAsync(() -> sides[1 - next].delete(key));
            boolean isDeleted = false;
            while (!isDeleted) {
                isDeleted = watches.get(next).take().getEventsList().stream()
                        .anyMatch(event -> event.getType() == Event.EventType.DELETE);
            }
            acquire(next);
            long took = System.nanoTime() - before;
            deleting.get();
            leader = next;
            return took;
        }

        @Override
        public void close() {
            sides[0].close();
            sides[1].close();
        }
    }

    private record Queued<T>(BlockingQueue<T> queue) implements StreamObserver<T> {
        @Override
        public void onNext(T message) {
            queue.add(message);
        }

        @Override
        public void onError(Throwable failure) {
            // The end of the program.
        }

        @Override
        public void onCompleted() {
            // The same.
        }
    }

    /** The queue of candidates that etcd itself offers. */
    private static final class ByService implements Way {
        private final Operator[] sides;
        private final long[] leases = new long[2];
        private final String name = "by-service-" + System.nanoTime();
        private LeaderKey led;
        private CompletableFuture<LeaderKey> won = new CompletableFuture<>();
        private int leader;

        ByService(int port) throws Exception {
            sides = new Operator[] {new Operator(port), new Operator(port)};
            for (int i = 0; i < 2; i++) {
                leases[i] = sides[i].grant(600);
            }
            led = campaign(0).get();
        }

        private CompletableFuture<LeaderKey> campaign(int side) {
            CampaignRequest request = CampaignRequest.newBuilder()
                    .setName(bytes(name))
                    .setLease(leases[side])
                    .setValue(bytes("x"))
                    .build();
            return CompletableFuture.supplyAsync(() -> ElectionGrpc.newBlockingStub(sides[side].channel)
                    .campaign(request)
                    .getLeader());
        }

        @Override
        public void stand() {
            won = campaign(1 - leader);
        }

        @Override
        public long handOver() throws Exception {
            int next = 1 - leader;
            long before = System.nanoTime();
            CompletableFuture<Void> resigning = CompletableFuture.runAsync(() -> {
                var unused = ElectionGrpc.newBlockingStub(sides[1 - next].channel)
                        .resign(ResignRequest.newBuilder().setLeader(led).build());
            });
            LeaderKey key = won.get();
            long took = System.nanoTime() - before;
            resigning.get();
            led = key;
            leader = next;
            return took;
        }

        @Override
        public void close() {
            sides[0].close();
            sides[1].close();
        }
    }

    private static final class ByMandate implements Way {
        private final ElectionClient[] clients;
        private final String name = "by-mandate-" + System.nanoTime();
        private Leadership led;
        private CompletableFuture<Leadership> won = new CompletableFuture<>();
        private int leader;

        ByMandate(int port) throws Exception {
            String url = EtcdServer.url(port) + "?coolDown=0s&splay=0s";
            clients = new ElectionClient[] {ElectionClient.connect(url), ElectionClient.connect(url)};
            led = clients[0]
                    .election(name)
                    .campaign("x", Duration.ofSeconds(30))
                    .orElseThrow();
        }

        @Override
        public void stand() {
            won = clients[1 - leader].election(name).campaignAsync("x").toCompletableFuture();
        }

        @Override
        public long handOver() throws Exception {
            int next = 1 - leader;
            long before = System.nanoTime();
            led.resign();
            Leadership later = won.get();
            long took = System.nanoTime() - before;
            led.close();
            led = later;
            leader = next;
            return took;
        }

        @Override
        public void close() {
            clients[0].close();
            clients[1].close();
        }
    }
}
