package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.BackOff;
import dev.mandate.support.HintDelivery;
import dev.mandate.support.KeyTemplate;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientCall;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One watch over a range of keys. It reopens itself where it left off, so that nothing is missed while the server has
 * the history. It reports {@link Hint.Gap} if something may have been missed: the history was compacted, or the
 * server's revision went back.
 *
 * <p>It begins after the newest revision that an answer showed, not at it: for past revisions, the server takes a
 * detour of up to 100 ms.
 *
 * <p>Everything except {@link #close} runs on the connection's worker.
 */
final class EtcdWatch implements Subscription {
    private static final Duration CREATED_WITHIN = Duration.ofSeconds(5);
    private static final Duration PAUSE_MIN = Duration.ofMillis(20);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);
    private static final int DENIED_MAX = 2;

    private final EtcdConnection connection;
    private final Layout layout;
    private final RecordKey prefix;
    private final HintDelivery delivery;

    // Used only on the worker.
    private @Nullable Attempt current;
    /** The first revision not delivered yet; 0 to begin with the present and report a gap. */
    private long next;

    private final BackOff backOff = new BackOff(PAUSE_MIN, PAUSE_MAX);
    private int denied;

    EtcdWatch(EtcdConnection connection, Layout layout, RecordKey prefix, Consumer<Hint> hints) {
        this.connection = connection;
        this.layout = layout;
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
    }

    void start() {
        long seen = connection.revision();
        connection.worker().execute(() -> {
            next = seen == 0 ? 0 : seen + 1;
            open();
        });
    }

    private void open() {
        if (delivery.isClosed()) {
            return;
        }
        Attempt attempt = new Attempt();
        current = attempt;
        Layout.Range range = layout.range(prefix);
        WatchCreateRequest.Builder create = WatchCreateRequest.newBuilder()
                .setKey(range.from())
                .setRangeEnd(range.end())
                .setStartRevision(next);
        connection.open(
                WatchGrpc.getWatchMethod(),
                WatchRequest.newBuilder().setCreateRequest(create).build(),
                attempt);
        later(CREATED_WITHIN.toMillis(), attempt::requireCreated);
    }

    private void later(long millis, Runnable task) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, connection.worker())
                .execute(task);
    }

    private void openLater() {
        later(TimeUnit.NANOSECONDS.toMillis(backOff.nextNanos()), this::open);
    }

    private void giveUp(String why) {
        current = null;
        delivery.deliver(new Hint.Closed(connection.name() + ": watching " + prefix + ": " + why));
    }

    /** One stream. Messages of a former one are ignored. */
    private final class Attempt implements EtcdConnection.Stream<WatchRequest, WatchResponse> {
        private @Nullable ClientCall<WatchRequest, WatchResponse> call;
        private @Nullable String used;
        private boolean isCreated;

        boolean isOver() {
            return current != this || delivery.isClosed();
        }

        @Override
        public void opened(ClientCall<WatchRequest, WatchResponse> opened, @Nullable String token) {
            call = opened;
            used = token;
        }

        void cancel(String why) {
            if (call != null) {
                call.cancel(why, null);
            }
        }

        /** Leaves a member that does not confirm the watch in time. */
        void requireCreated() {
            if (!isOver() && !isCreated) {
                cancel("no answer in time");
                current = null;
                connection.elsewhere();
                openLater();
            }
        }

        @Override
        public void message(WatchResponse response) {
            if (isOver()) {
                return;
            }
            if (response.getCanceled()) {
                canceled(response);
            } else if (response.getCreated()) {
                created(response.getHeader().getRevision());
            } else {
                tell(response.getEventsList());
            }
        }

        private void created(long revision) {
            isCreated = true;
            backOff.reset();
            denied = 0;
            if (next == 0) {
                next = revision + 1;
                delivery.deliver(Hint.Gap.INSTANCE);
            } else if (next > revision + 1) {
                // The data was lost and starts again, or this member lags behind: events before {@code next} would
                // not be delivered.
                cancel("from an earlier revision");
                next = revision + 1;
                delivery.deliver(Hint.Gap.INSTANCE);
                open();
            }
        }

        private void canceled(WatchResponse response) {
            cancel("the server has ended it");
            current = null;
            String reason = response.getCancelReason();
            if (response.getCompactRevision() != 0) {
                next = 0;
                open();
            } else if (reason.contains("permission denied")
                    || reason.contains("auth")
                    || reason.contains("user name is empty")) {
                refused(reason);
            } else {
                next = 0;
                openLater();
            }
        }

        /** Perhaps only the token has expired. */
        private void refused(String reason) {
            if (++denied >= DENIED_MAX) {
                giveUp(reason);
            } else {
                connection.stale(used);
                openLater();
            }
        }

        private void tell(List<Event> events) {
            for (Event event : events) {
                KeyValue kv = event.getKv();
                String path = kv.getKey().toStringUtf8();
                Optional<RecordKey> key = layout.keys().key(path).filter(k -> k.isBelow(prefix));
                if (key.isPresent()) {
                    delivery.deliver(new Hint.Seen(
                            event.getType() == Event.EventType.DELETE
                                    ? Layout.vacant(key.get())
                                    : layout.observe(key.get(), kv, beside(path, kv, events))));
                }
                next = Math.max(next, kv.getModRevision() + 1);
            }
        }

        /** All writes of a transaction come in one message. */
        private @Nullable KeyValue beside(String path, KeyValue main, List<Event> events) {
            if (!layout.isRaw()) {
                return null;
            }
            ByteString wanted = Layout.bytes(path + KeyTemplate.BESIDE);
            for (Event event : events) {
                KeyValue kv = event.getKv();
                if (kv.getModRevision() == main.getModRevision()
                        && event.getType() == Event.EventType.PUT
                        && kv.getKey().equals(wanted)) {
                    return kv;
                }
            }
            return null;
        }

        @Override
        public void over(Status status) {
            if (isOver()) {
                return;
            }
            current = null;
            boolean isDenied = status.getCode() == Status.Code.PERMISSION_DENIED
                    || status.getCode() == Status.Code.UNAUTHENTICATED
                    || Fault.isStaleToken(status);
            if (isDenied) {
                refused(String.valueOf(status.getDescription()));
            } else if (status.getCode() == Status.Code.UNIMPLEMENTED) {
                giveUp("the server is not etcd");
            } else {
                openLater();
            }
        }
    }

    /** No hint is delivered after this has returned. Idempotent. */
    @Override
    public void close() {
        delivery.close();
        connection.worker().execute(() -> {
            Attempt open = current;
            current = null;
            if (open != null) {
                open.cancel("the watch is closed");
            }
        });
    }
}
