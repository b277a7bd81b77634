package dev.mandate.internal;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.LeaderListener;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.ResolverOptions;
import dev.mandate.engine.View;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds the leader of one election: what this client knows as an observer, minus the terms that callers found dead. If
 * that is not enough, it asks the store.
 */
final class ClientResolver implements LeaderResolver, Observer, Listening.Source, ResolverQuestions.Asker {
    /** What is known of its election. Any thread. */
    interface Source extends Listening.Source {
        RecordKey key();

        Answered answered();

        /** What is known, without its age. */
        View known();

        /** Whether {@code known} shows this client's own term, and that is valid. */
        boolean isOwn(View known);
    }

    private final ClientContext client;
    private final Source election;
    private final long maxAgeNanos;
    private final FailedTerms failures = new FailedTerms();
    private final ResolverQuestions questions;
    private final AtomicInteger waiting = new AtomicInteger();

    /** Completed, and replaced, whenever there may be another answer. */
    private final AtomicReference<CompletableFuture<Void>> change = new AtomicReference<>(new CompletableFuture<>());

    private volatile Found found = new Found(View.UNKNOWN, 0, Optional.empty());
    private volatile Confirmed confirmed = new Confirmed(View.UNKNOWN, 0);
    private volatile boolean isClosed;

    /** Guards the field below. */
    private final Object lock = new Object();

    private List<Listening> listeners = List.of();

    /** The leader of {@code view}, computed once. */
    private record Found(View view, long term, Optional<Leader> leader) {
        static Found of(View view) {
            Observation.Held held = view.held();
            return held == null
                    ? new Found(view, 0, Optional.empty())
                    : new Found(view, held.term(), Optional.of(Leaders.of(held, view.verified())));
        }
    }

    /** The answer to a question asked then agreed with {@code view}. */
    private record Confirmed(View view, long askedNanos) {}

    ClientResolver(ClientContext client, Source election, TimedCalls calls, ResolverOptions options) {
        this.client = client;
        this.election = election;
        long leaseNanos = client.timing().leaseNanos();
        this.maxAgeNanos = options.maxAge()
                .map(age -> age.compareTo(Durations.MAX) > 0 ? leaseNanos : Math.min(age.toNanos(), leaseNanos))
                .orElse(leaseNanos);
        this.questions = new ResolverQuestions(client, election.key(), calls, this);
    }

    // ---- what is known ----

    @Override
    public String election() {
        return election.key().name();
    }

    @Override
    public Optional<Leader> now() {
        long answerAge = answerAgeNanos();
        Found known = found();
        boolean counts =
                known.leader.isPresent() && !isClosed && isFresh(known.view, answerAge) && !failures.bars(known.term);
        return counts ? known.leader : Optional.empty();
    }

    @SuppressWarnings("ReferenceEquality")
    private Found found() {
        View view = election.known();
        Found last = found;
        if (last.view != view) {
            last = Found.of(view);
            found = last;
        }
        return last;
    }

    /** To be read before what is known: a newer answer must not vouch for what it replaces. */
    private long answerAgeNanos() {
        return election.answered().questionAgeNanos(client.nanos());
    }

    /** Whether the store's last word on the election is recent enough. */
    private boolean isFresh(View view, long answerAge) {
        return ageNanos(view, answerAge) < maxAgeNanos || election.isOwn(view);
    }

    @SuppressWarnings("ReferenceEquality")
    private long ageNanos(View view, long answerAge) {
        Confirmed last = confirmed;
        return last.view == view ? Math.min(answerAge, client.host().nanos() - last.askedNanos) : answerAge;
    }

    /** Ignores {@code maxAge}: as time passes, listeners are told only what observers are. */
    @Override
    public LeaderView present() {
        LeaderView known = election.present();
        boolean isBarred = known.leader()
                .filter(leader -> failures.bars(leader.token().value()))
                .isPresent();
        return isBarred || isClosed ? new LeaderView.Unknown(known.age()) : known;
    }

    @Override
    public LeaderView view() {
        long answerAge = answerAgeNanos();
        View view = election.known();
        LeaderView known = present();
        if (known instanceof LeaderView.Unknown) {
            return known;
        }
        Duration age = Duration.ofNanos(ageNanos(view, answerAge));
        if (!isFresh(view, answerAge)) {
            return new LeaderView.Unknown(age);
        }
        return known instanceof LeaderView.Led led
                ? new LeaderView.Led(led.current(), age)
                : new LeaderView.Vacant(age);
    }

    // ---- waiting ----

    @Override
    public Optional<Leader> await(Duration atMost) throws InterruptedException {
        long untilNanos =
                client.host().nanos() + Durations.bounded("atMost", atMost).toNanos();
        waiting.incrementAndGet();
        try {
            while (true) {
                CompletableFuture<Void> next = Objects.requireNonNull(change.get(), "change");
                Optional<Leader> leader = now();
                if (leader.isPresent() || isClosed || client.host().nanos() >= untilNanos) {
                    return leader;
                }
                if (isToAsk()) {
                    questions.want();
                }
                client.host().await(next, untilNanos);
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    private void signal() {
        Objects.requireNonNull(change.getAndSet(new CompletableFuture<>()), "change")
                .complete(null);
    }

    // ---- asking ----

    @Override
    public void failed(FencingToken token) {
        if (!token.election().equals(election.key().name())) {
            throw new IllegalArgumentException("the token is of election '" + Leader.printable(token.election())
                    + "'; this resolver finds the leader of '"
                    + Leader.printable(election.key().name()) + "'");
        }
        Observation.Held held = election.known().held();
        boolean isOver = held != null && held.term() > token.value() && !failures.bars(held.term());
        if (!isOver && !isClosed && failures.failed(token.value())) {
            questions.want();
            tellAll();
        }
    }

    @Override
    public boolean isToAsk() {
        boolean isWaitedFor = waiting.get() > 0 && view() instanceof LeaderView.Unknown;
        return !isClosed && (isSuspicious() || isWaitedFor);
    }

    @Override
    public boolean isSuspicious() {
        return failures.isOpen();
    }

    @Override
    public long asks() {
        return failures.asks();
    }

    @Override
    public void answered(long asked, long askedNanos, Observation seen) {
        View view = election.known();
        Observation.Held known = view.held();
        boolean isSame = seen instanceof Observation.Held held
                ? known != null && Leaders.of(held, true).equals(Leaders.of(known, true))
                : view.state() == View.State.VACANT;
        if (isSame) {
            confirmed = new Confirmed(view, askedNanos);
        }
        failures.answered(asked, seen instanceof Observation.Held held ? held.term() : 0);
        tellAll();
    }

    // ---- telling ----

    @Override
    public Observing observe(LeaderListener listener) {
        Listening listening = new Listening(client, this, Objects.requireNonNull(listener, "listener"));
        client.lifecycle().requireOpen();
        synchronized (lock) {
            if (isClosed) {
                throw new IllegalStateException("this resolver of election '"
                        + Leader.printable(election.key().name()) + "' is closed; make another one");
            }
            listeners = Lists.with(listeners, listening);
        }
        listening.changed();
        return listening;
    }

    /** The state has changed. */
    @Override
    public void changed() {
        tellAll();
    }

    @Override
    public void refreshed() {
        if (waiting.get() > 0) {
            // A caller may have found the last answer too old; this one came before its question was asked.
            signal();
        }
        listeners().forEach(Listening::refreshed);
    }

    private void tellAll() {
        signal();
        listeners().forEach(Listening::changed);
    }

    private List<Listening> listeners() {
        synchronized (lock) {
            return listeners;
        }
    }

    @Override
    public void remove(Observer listening) {
        synchronized (lock) {
            listeners = listeners.stream().filter(each -> each != listening).toList();
        }
    }

    // ---- the end ----

    @Override
    public void close() {
        List<Listening> told;
        synchronized (lock) {
            isClosed = true;
            told = listeners;
        }
        signal();
        election.remove(this);
        told.forEach(Listening::close);
    }

    @Override
    public @Nullable CompletableFuture<Void> end() {
        List<Listening> told;
        synchronized (lock) {
            isClosed = true;
            told = listeners;
        }
        signal();
        CompletableFuture<?>[] running =
                told.stream().map(Listening::end).filter(Objects::nonNull).toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(running);
    }
}
