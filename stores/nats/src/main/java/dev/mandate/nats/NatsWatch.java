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
import io.nats.client.Connection;
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
import org.jspecify.annotations.Nullable;

/**
 * One watch over the keys of a bucket: a stream consumer that delivers each key's newest message. It reopens itself
 * after the last message received. It shows states, not events: overwritten messages are never delivered. Each opening
 * reports {@link Hint.Gap}, because keys that expired without a marker are not delivered either.
 *
 * <p>Without permission, or after repeated failures to open, it {@linkplain Hint.Closed closes}.
 *
 * <p>Most messages are renewals, which change nothing: they are reported once per attempt.
 *
 * <p>Messages are handled on the connection's thread. The store's timer delivers hints, and opens and closes the watch.
 */
final class NatsWatch implements Subscription {
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SILENCE_NANOS = 3 * HEARTBEAT_NANOS;
    private static final Duration PAUSE_MIN = Duration.ofMillis(50);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);
    private static final Duration CREATED_WITHIN = Duration.ofSeconds(5);
    private static final int ATTEMPTS_MAX = 100_000;

    /** When to look for a permission error: servers send it at once, but do not answer the request. */
    private static final long DENIED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** Failures in a row; with their pauses, about ten seconds. */
    private static final int FAILURES_MAX = 8;

    private static final String FLOW_CONTROL = "FlowControl";
    private static final String STALLED = "Nats-Consumer-Stalled";
    private static final String LAST_CONSUMED = "Nats-Last-Consumer";

    private final Link link;
    private final Wire wire;
    private final Records records;
    private final RecordKey prefix;
    private final HintDelivery delivery;
    private final Runnable renewed = this::openSoon;
    private final Expirations expirations;

    /** The attempt of each key as last reported. */
    private final Map<String, String> attempts = new ConcurrentHashMap<>();

    private volatile @Nullable Attempt current;

    // On the timer alone.
    private String seenBucket = "";
    private long next;
    private final BackOff backOff = new BackOff(PAUSE_MIN, PAUSE_MAX);
    private int failures;
    private boolean isOver;

    NatsWatch(Link link, Wire wire, Records records, RecordKey prefix, Consumer<Hint> hints) {
        this.link = link;
        this.wire = wire;
        this.records = records;
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
        this.expirations = new Expirations(link.threads(), this::lookAt);
    }

    void start() {
        link.whenRenewed(renewed);
        openSoon();
        link.threads().later(this::watchOver, HEARTBEAT_NANOS);
    }

    /** More keys are used than the watch covers: reopens it. A gap reports what was missed. */
    void widen() {
        link.threads().later(this::openWider, 0);
    }

    private void openSoon() {
        link.threads().later(this::open, 0);
    }

    private void openLater() {
        link.threads().later(this::open, backOff.nextNanos());
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
        String bucket = session.bucket().created();
        if (!bucket.equals(seenBucket)) {
            seenBucket = bucket;
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
        if (open != null && !open.filter.equals(records.keys().watched(prefix))) {
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
            openLater();
        }
    }

    private void failed(Attempt attempt, ElectionException why, boolean isFinal) {
        if (current != attempt) {
            return;
        }
        if (isFinal || ++failures >= FAILURES_MAX) {
            giveUp(why.getMessage());
        } else {
            again(attempt);
        }
    }

    private void giveUp(@Nullable String why) {
        isOver = true;
        end();
        link.forget(renewed);
        delivery.deliver(new Hint.Closed(String.valueOf(why)));
    }

    private void opened(Attempt attempt) {
        if (current == attempt) {
            failures = 0;
            backOff.reset();
            delivery.deliver(Hint.Gap.INSTANCE);
        }
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
        link.threads().later(() -> delivery.deliver(new Hint.Seen(seen)), 0);
    }

    /** Reads a key that should have expired, because no marker reports it. */
    private void lookAt(String path, long revision) {
        Optional<RecordKey> key = key(path);
        Link.@Nullable Session session = link.session();
        if (delivery.isClosed() || key.isEmpty() || session == null) {
            return;
        }
        var unused = wire.last("looking at " + key.get(), path, CallContext.within(CREATED_WITHIN))
                .handle((entry, failure) -> {
                    boolean isGone = failure == null && (entry == null || entry.isMarker());
                    if (isGone) {
                        expirations.gone(path);
                        attempts.remove(path);
                        tell(Records.observe(key.get(), entry, session.bucket().ttl()));
                    } else if (failure != null) {
                        expirations.unanswered(path, revision);
                    } else if (entry != null && entry.revision() == revision) {
                        expirations.again(path, revision);
                    }
                    return isGone;
                });
    }

    private Optional<RecordKey> key(String path) {
        return records.keys().key(path).filter(k -> k.isBelow(prefix));
    }

    // ---- one consumer ----

    /** One consumer of the stream. Messages of a former one are ignored. */
    private final class Attempt implements MessageHandler {
        private final Link.Session session;
        private final String inbox;
        private final Dispatcher dispatcher;
        private final boolean isTold;
        private final String filter = records.keys().watched(prefix);

        /** When anything last came from it. */
        volatile long heardNanos = System.nanoTime();

        /** The revision of the last message received. */
        volatile long last;

        /** How many messages came; used only on the connection's thread. */
        private long consumed;

        Attempt(Link.Session session) {
            this.session = session;
            this.isTold = session.bucket().tellsOfExpiry();
            Connection connection = session.connection();
            this.inbox = connection.createInbox();
            this.dispatcher = connection.createDispatcher(this);
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
            link.threads().later(() -> requireRights(Subjects.API + verb), DENIED_NANOS);
            var unused = wire.api("watching " + prefix, verb, body, CallContext.within(CREATED_WITHIN))
                    .handle((answer, failure) -> {
                        boolean isOpen = failure == null && !answer.has("error");
                        link.threads().later(isOpen ? () -> opened(this) : () -> notOpened(answer, failure), 0);
                        return isOpen;
                    });
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

        private void requireRights(String subject) {
            String said = link.denied(subject);
            String answers = said == null ? link.denied(inbox) : said;
            if (answers != null) {
                failed(this, Fault.denied(link.settings().name(), "watching " + prefix, answers), true);
            }
        }

        private void notOpened(@Nullable Json answer, @Nullable Throwable failure) {
            String name = link.settings().name();
            String what = "watching " + prefix;
            if (answer == null || failure != null) {
                Throwable why = failure == null ? new TimeoutException() : failure;
                failed(this, Fault.of(name, what, why), false);
                return;
            }
            Json error = answer.object("error");
            ElectionException why = Fault.of(name, what, error);
            boolean isGone = error.number("err_code") == Fault.NO_STREAM;
            if (isGone) {
                // It may be created again.
                link.wantCheck();
            }
            failed(this, why, !isGone && why instanceof StoreSetupException);
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
                return;
            }
            Delivery delivery = Delivery.of(message.getReplyTo());
            if (delivery.consumed() != consumed + 1) {
                missed();
                return;
            }
            consumed++;
            look(message, delivery.revision());
            last = delivery.revision();
            link.saw(last);
        }

        private void missed() {
            link.threads().later(() -> again(this), 0);
        }

        private void status(Message message) {
            String reply = message.getReplyTo();
            if (reply != null && message.getStatus().getMessage().startsWith(FLOW_CONTROL)) {
                session.connection().publish(reply, null);
                return;
            }
            Headers headers = message.getHeaders();
            if (headers == null) {
                return;
            }
            String stalled = headers.getFirst(STALLED);
            if (stalled != null) {
                session.connection().publish(stalled, null);
            }
            String sent = headers.getFirst(LAST_CONSUMED);
            if (sent != null && Delivery.number(sent) != consumed) {
                missed();
            }
        }

        private void look(Message message, long revision) {
            String path = wire.key(message.getSubject());
            Headers headers = message.getHeaders();
            Entry.Fields fields = name -> headers == null ? null : headers.getFirst(name);
            String renewal = fields.first(Entry.RENEWAL);
            if (isTold && renewal != null && renewal.equals(attempts.get(path))) {
                return;
            }
            Entry entry = Entry.of(revision, fields, message.getData());
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
                link.threads().later(() -> delivery.deliver(Hint.Gap.INSTANCE), 0);
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
        link.threads().later(this::end, 0);
    }
}
