package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.BackOff;
import dev.mandate.support.HintDelivery;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.MessageHandler;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One watch over the keys of a bucket: a stream consumer that delivers each key's newest message. It reopens itself
 * after the last message received. It shows states, not events: overwritten messages are never delivered. Each opening
 * reports {@link Hint.Gap}, because keys that expired without a marker are not delivered either. Most messages are
 * renewals, which change nothing: they are reported once per attempt.
 *
 * <p>Without permission, or after repeated failures to open, it {@linkplain Hint.Closed closes}.
 *
 * <p>Messages are handled on the connection's thread. The store's timer delivers hints, and opens and closes the watch.
 */
final class NatsWatch implements Subscription {
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SILENCE_NANOS = 3 * HEARTBEAT_NANOS;
    private static final Duration CREATED_WITHIN = Duration.ofSeconds(5);
    private static final int ATTEMPTS_MAX = 100_000;

    /** Failures in a row; with their pauses, about ten seconds. */
    private static final int FAILURES_MAX = 8;

    private final Link link;
    private final Wire wire;
    private final RecordKey prefix;
    private final HintDelivery delivery;
    private final Runnable renewed = () -> soon(this::open);
    private final Expirations expirations;

    /** The attempt of each key as last reported. */
    private final Map<String, String> attempts = new ConcurrentHashMap<>();

    private volatile @Nullable Attempt current;

    // On the timer alone.
    private final BackOff backOff = new BackOff(Duration.ofMillis(50), Duration.ofSeconds(2));
    private String seenBucket = "";
    private long next;
    private int failures;
    private boolean isOver;

    NatsWatch(Link link, Wire wire, RecordKey prefix, Consumer<Hint> hints) {
        this.link = link;
        this.wire = wire;
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
        this.expirations = new Expirations(link.threads(), this::lookAt);
    }

    void start() {
        link.whenRenewed(renewed);
        soon(this::open);
        link.threads().later(this::watchOver, HEARTBEAT_NANOS);
    }

    /** More keys are used than the watch covers: reopens it. A gap reports what was missed. */
    void widen() {
        soon(this::openWider);
    }

    private void soon(Runnable task) {
        link.threads().later(task, 0);
    }

    private String filter() {
        return link.settings().keys().watched(prefix);
    }

    // ---- on the timer ----

    /** Opens the watch on the current connection, unless it is open there. Without one, waits for the next. */
    private void open() {
        Link.@Nullable Session session = link.session();
        Attempt former = current;
        boolean isOpen = former != null && session != null && former.isOn(session);
        if (delivery.isClosed() || isOver || session == null || isOpen) {
            return;
        }
        end();
        if (!session.bucket().created().equals(seenBucket)) {
            seenBucket = session.bucket().created();
            next = 0;
        }
        attempts.clear();
        expirations.clear();
        try {
            Attempt attempt = new Attempt(session);
            current = attempt;
            attempt.open(next);
        } catch (IllegalStateException e) {
            // The connection has ended; the next one opens the watch.
            current = null;
        }
    }

    private void openWider() {
        Attempt open = current;
        if (open != null && !open.filter.equals(filter())) {
            end();
            // Messages that the narrow watch skipped are not sent now either: that may be the whole bucket.
            next = 0;
            open();
        }
    }

    private void end() {
        Attempt former = current;
        current = null;
        if (former != null) {
            // If nothing came, the start stays: no need to send the whole bucket.
            next = former.last == 0 ? next : Math.max(next, former.last + 1);
            former.end();
        }
    }

    private void again(Attempt broken) {
        if (current == broken) {
            end();
            link.threads().later(this::open, backOff.nextNanos());
        }
    }

    /** The server confirmed the consumer, or not. */
    private void answered(Attempt attempt, String subject, @Nullable Json answer, @Nullable Throwable failure) {
        if (current != attempt) {
            return;
        }
        String name = link.settings().name();
        Denials denials = link.dialer().denials();
        String denied = denials.of(subject) == null ? denials.of(attempt.inbox) : denials.of(subject);
        if (denied != null) {
            giveUp(Fault.denied(name, what(), denied));
        } else if (answer == null) {
            failed(attempt, Fault.of(name, what(), failure == null ? new TimeoutException() : failure), false);
        } else if (answer.has("error")) {
            Json error = answer.object("error");
            ElectionException why = Fault.of(name, what(), error);
            boolean isGone = error.number("err_code") == Fault.NO_STREAM;
            if (isGone) {
                // It may be created again.
                link.wantCheck();
            }
            failed(attempt, why, !isGone && why instanceof StoreSetupException);
        } else {
            failures = 0;
            backOff.reset();
            delivery.deliver(Hint.Gap.INSTANCE);
        }
    }

    private String what() {
        return "watching " + prefix;
    }

    private void failed(Attempt attempt, ElectionException why, boolean isFinal) {
        if (isFinal || ++failures >= FAILURES_MAX) {
            giveUp(why);
        } else {
            again(attempt);
        }
    }

    private void giveUp(ElectionException why) {
        isOver = true;
        end();
        link.forget(renewed);
        delivery.deliver(new Hint.Closed(String.valueOf(why.getMessage())));
    }

    /** Reopens the watch if its consumer is silent: even an idle one sends heartbeats. */
    private void watchOver() {
        if (delivery.isClosed() || isOver) {
            return;
        }
        Attempt open = current;
        if (open != null && System.nanoTime() - open.heardNanos > SILENCE_NANOS) {
            again(open);
        }
        link.threads().later(this::watchOver, HEARTBEAT_NANOS);
    }

    private void tell(Observation seen) {
        soon(() -> delivery.deliver(new Hint.Seen(seen)));
    }

    /** Reads a key that should have expired, because no marker reports it. */
    private void lookAt(String path, long revision) {
        Optional<RecordKey> key = key(path);
        Link.@Nullable Session session = link.session();
        if (delivery.isClosed() || key.isEmpty() || session == null) {
            return;
        }
        var unused = wire.last(new Op("looking at", key.get(), path, CallContext.within(CREATED_WITHIN)))
                .whenComplete((entry, failure) -> {
                    if (failure != null) {
                        expirations.unanswered(path, revision);
                    } else if (entry == null || entry.isMarker()) {
                        expirations.gone(path);
                        attempts.remove(path);
                        tell(Records.observe(key.get(), entry, session.bucket().ttl()));
                    } else if (entry.revision() == revision) {
                        expirations.again(path, revision);
                    }
                });
    }

    private Optional<RecordKey> key(String path) {
        return link.settings().keys().key(path).filter(key -> key.isBelow(prefix));
    }

    // ---- one consumer ----

    /** One consumer of the stream. Messages of a former one are ignored. */
    private final class Attempt implements MessageHandler {
        private final Link.Session session;
        private final String inbox;
        private final Dispatcher dispatcher;
        private final boolean isTold;
        private final String filter = filter();

        /** When anything last came from it. */
        volatile long heardNanos = System.nanoTime();

        /** The revision of the last message received. */
        volatile long last;

        /** How many messages came; used only on the connection's thread. */
        private long consumed;

        Attempt(Link.Session session) {
            this.session = session;
            this.isTold = session.bucket().tellsOfExpiry();
            this.inbox = session.connection().createInbox();
            this.dispatcher = session.connection().createDispatcher(this);
        }

        boolean isOn(Link.Session now) {
            // The bucket, too: with another time to live, keys expire at another time.
            return session.connection().equals(now.connection())
                    && session.bucket().equals(now.bucket());
        }

        void open(long from) {
            dispatcher.subscribe(inbox);
            String bucket = link.settings().bucket();
            String stream = Subjects.stream(bucket);
            String body = "{\"stream_name\":\"" + stream + "\",\"config\":{\"deliver_subject\":\"" + inbox + "\","
                    + start(from) + ",\"filter_subject\":\"" + Subjects.prefix(bucket) + filter
                    + "\",\"ack_policy\":\"none\",\"max_deliver\":1,"
                    + "\"replay_policy\":\"instant\",\"flow_control\":true,\"idle_heartbeat\":" + HEARTBEAT_NANOS
                    + ",\"num_replicas\":1,\"mem_storage\":true}}";
            String verb = "CONSUMER.CREATE." + stream;
            var unused = wire.api(what(), verb, body, CallContext.within(CREATED_WITHIN))
                    .whenComplete(
                            (answer, failure) -> soon(() -> answered(this, Subjects.API + verb, answer, failure)));
        }

        /** Without markers, delivers existing instances, too, to notice their expiry: nobody reads them regularly. */
        private String start(long from) {
            if (!isTold && !prefix.space().equals(RecordKey.ELECTIONS)) {
                return "\"deliver_policy\":\"last_per_subject\"";
            }
            return from == 0
                    ? "\"deliver_policy\":\"new\""
                    : "\"deliver_policy\":\"by_start_sequence\",\"opt_start_seq\":" + from;
        }

        void end() {
            try {
                session.connection().closeDispatcher(dispatcher);
            } catch (IllegalStateException | IllegalArgumentException e) {
                // It ended with its connection.
            }
        }

        @Override
        public void onMessage(Message message) {
            if (current != this) {
                return;
            }
            heardNanos = System.nanoTime();
            if (message.isStatusMessage()) {
                status(message);
            } else if (message.isJetStream() && message.metaData().consumerSequence() == consumed + 1) {
                consumed++;
                long revision = message.metaData().streamSequence();
                look(message, revision);
                last = revision;
                link.known().saw(revision);
            } else {
                missed();
            }
        }

        private void missed() {
            soon(() -> again(this));
        }

        /** A heartbeat, or a question of flow control. */
        private void status(Message message) {
            String reply = message.getReplyTo();
            if (reply != null && message.getStatus().getMessage().startsWith("FlowControl")) {
                session.connection().publish(reply, null);
                return;
            }
            String stalled = header(message, "Nats-Consumer-Stalled");
            if (stalled != null) {
                session.connection().publish(stalled, null);
            }
            String sent = header(message, "Nats-Last-Consumer");
            if (sent != null && !sent.equals(Long.toString(consumed))) {
                missed();
            }
        }

        private static @Nullable String header(Message message, String name) {
            Headers headers = message.getHeaders();
            return headers == null ? null : headers.getFirst(name);
        }

        private void look(Message message, long revision) {
            String path = wire.key(message.getSubject());
            Function<String, @Nullable String> headers = name -> header(message, name);
            String renewal = headers.apply(Entry.RENEWAL);
            if (isTold && renewal != null && renewal.equals(attempts.get(path))) {
                return;
            }
            Entry entry = Entry.of(revision, headers, message.getData());
            if (!isTold) {
                expirations.seen(path, entry, session.bucket().ttl());
            }
            if (attempts.size() > ATTEMPTS_MAX) {
                attempts.clear();
            }
            if (renewal != null && renewal.equals(attempts.put(path, renewal))) {
                return;
            }
            Optional<RecordKey> key = key(path);
            if (key.isEmpty()) {
                return;
            }
            if (entry.isOfAnother(session.bucket())) {
                // The read after the gap reports the error.
                soon(() -> delivery.deliver(Hint.Gap.INSTANCE));
                return;
            }
            Observation seen =
                    Records.observe(key.get(), entry, session.bucket().ttl());
            remember(path, seen);
            tell(seen);
        }

        private void remember(String path, Observation seen) {
            if (seen instanceof Observation.Held held && !held.isForeign()) {
                LeaderRecord record = held.record();
                // After a request to leave, the next renewal is reported, too.
                attempts.put(path, record.leave() ? "" : record.attempt().toString());
            } else {
                attempts.remove(path);
            }
        }
    }

    /** No hint is delivered after this has returned. Idempotent. */
    @Override
    public void close() {
        delivery.close();
        link.forget(renewed);
        soon(this::end);
    }
}
