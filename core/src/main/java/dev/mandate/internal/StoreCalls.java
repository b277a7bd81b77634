package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SweepAction;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Hands requests to the store, and its answers back to the loop. On the loop alone. */
final class StoreCalls {
    private static final long NOT_WAITING = Long.MIN_VALUE;

    /** Receives the outcome of a call, on the loop. */
    interface Outcome<T> {
        void answered(T answer, Now now);

        /** A {@link StoreSetupException} as {@code why} means that it will never work without a change. */
        void failed(Throwable why, Now now);
    }

    private final Host host;
    private final Loop loop;
    private final Journal journal;
    private final Counters counters;
    private long waitingSinceNanos = NOT_WAITING;

    StoreCalls(Host host, Loop loop, Journal journal, Counters counters) {
        this.host = host;
        this.loop = loop;
        this.journal = journal;
        this.counters = counters;
    }

    /** A request of an election. */
    void send(ElectionStore store, ElectionAction.Request request, Now now) {
        RecordKey key = request.key();
        if (request instanceof ElectionAction.Read) {
            send(Verb.READ, now, request.timeoutNanos(), call -> store.read(key, call), outcome(request, seen -> {
                return new ElectionEvent.ReadAnswered(request.request(), seen);
            }));
        } else if (request instanceof ElectionAction.Acquire r) {
            StoreSession handle = r.session() == null ? null : r.session().handle();
            write(Verb.ACQUIRE, request, now, call -> store.acquire(key, r.basis(), r.proposal(), handle, call));
        } else if (request instanceof ElectionAction.Update r) {
            write(Verb.UPDATE, request, now, call -> store.update(key, r.basis(), r.record(), r.intent(), call));
        } else if (request instanceof ElectionAction.Release r) {
            write(Verb.RELEASE, request, now, call -> store.release(key, r.basis(), call));
        } else if (request instanceof ElectionAction.Erase r) {
            write(Verb.ERASE, request, now, call -> erase(store, r.basis(), call));
        }
    }

    /** The only place that erases anything: never a record of an election, whose versions must not be forgotten. */
    static CompletionStage<WriteOutcome> erase(ElectionStore store, Observation.Vacant basis, CallContext call) {
        if (basis.key().space().equals(RecordKey.ELECTIONS)) {
            throw new IllegalArgumentException(basis.key() + " is the record of an election; those are never erased");
        }
        return store.erase(basis, call);
    }

    private void write(
            Verb verb,
            ElectionAction.Request request,
            Now now,
            Function<CallContext, CompletionStage<WriteOutcome>> call) {
        send(verb, now, request.timeoutNanos(), call, outcome(request, outcome -> {
            return new ElectionEvent.WriteAnswered(request.request(), outcome);
        }));
    }

    private <T> Outcome<T> outcome(ElectionAction.Request request, Function<T, ElectionEvent> event) {
        return new Outcome<>() {
            @Override
            public void answered(T answer, Now now) {
                long askedNanos = loop.machine().askedNanos(request.key(), request.request(), now);
                if (askedNanos != Long.MIN_VALUE) {
                    loop.audience().heard(request.key(), askedNanos, now);
                }
                loop.tell(request.key(), event.apply(answer), now);
            }

            @Override
            public void failed(Throwable why, Now now) {
                ElectionEvent failure = why instanceof StoreSetupException
                        ? new ElectionEvent.Faulted(request.request(), String.valueOf(why.getMessage()))
                        : new ElectionEvent.Unanswered(request.request());
                loop.tell(request.key(), failure, now);
            }
        };
    }

    /** A page of the common listing. */
    void send(ElectionStore store, SweepAction request, Now now) {
        send(
                Verb.LIST,
                now,
                request.timeoutNanos(),
                call -> store.list(RecordKey.elections(), request.from(), call),
                new Outcome<Page<Observation>>() {
                    @Override
                    public void answered(Page<Observation> page, Now now) {
                        loop.swept(request, page, now);
                    }

                    @Override
                    public void failed(Throwable why, Now now) {
                        boolean forGood = why instanceof StoreSetupException;
                        loop.sweepFailed(request, forGood ? String.valueOf(why.getMessage()) : null, now);
                    }
                });
    }

    /** A request of a session. */
    void send(ElectionStore store, SessionAction.Request request, Now now) {
        if (request instanceof SessionAction.Open r) {
            Duration lease = Duration.ofNanos(r.leaseNanos());
            send(
                    Verb.SESSION,
                    now,
                    r.timeoutNanos(),
                    call -> store.openSession(lease, call),
                    sessionOutcome(request, handle -> {
                        return new SessionEvent.Opened(r.request(), handle);
                    }));
        } else if (request instanceof SessionAction.Renew r) {
            send(
                    Verb.SESSION,
                    now,
                    r.timeoutNanos(),
                    call -> r.handle().renew(call),
                    sessionOutcome(request, renewal -> {
                        return new SessionEvent.Renewed(r.request(), renewal);
                    }));
        } else if (request instanceof SessionAction.End r) {
            // A Void stage completes with null, but an answer here must not be null.
            send(
                    Verb.SESSION,
                    now,
                    r.timeoutNanos(),
                    call -> r.handle().end(call).thenApply(nothing -> true),
                    sessionOutcome(request, over -> {
                        return new SessionEvent.Ended(r.request());
                    }));
        }
    }

    private <T> Outcome<T> sessionOutcome(SessionAction.Request request, Function<T, SessionEvent> event) {
        return new Outcome<>() {
            @Override
            public void answered(T answer, Now now) {
                loop.tell(event.apply(answer), now);
            }

            @Override
            public void failed(Throwable why, Now now) {
                loop.tell(
                        why instanceof StoreSetupException
                                ? new SessionEvent.Faulted(request.request(), String.valueOf(why.getMessage()))
                                : new SessionEvent.Unanswered(request.request()),
                        now);
            }
        };
    }

    /** Calls the store now; the call counts as sent at {@code sent}. What the call throws is a failed answer. */
    <T> void send(
            Verb verb,
            Now sent,
            long timeoutNanos,
            Function<CallContext, ? extends @Nullable CompletionStage<T>> call,
            Outcome<T> outcome) {
        long sentNanos = sent.monotonicNanos();
        noteSilence(sentNanos, timeoutNanos);
        counters.sent(verb);
        try {
            CompletionStage<T> stage = call.apply(CallContext.until(sentNanos + timeoutNanos, host::nanos));
            if (stage == null) {
                throw new IllegalStateException("the store returned no stage");
            }
            stage.whenComplete((answer, why) -> {
                loop.post(now -> {
                    long tookNanos = now.monotonicNanos() - sentNanos;
                    if (why == null && answer != null) {
                        counters.answered(verb, answer, tookNanos);
                        noteAnswer(tookNanos, timeoutNanos, now);
                        outcome.answered(answer, now);
                    } else {
                        failed(verb, tookNanos, why, outcome, now);
                    }
                });
            });
        } catch (Throwable e) {
            loop.post(now -> failed(verb, now.monotonicNanos() - sentNanos, e, outcome, now));
        }
    }

    private void noteSilence(long sentNanos, long timeoutNanos) {
        if (waitingSinceNanos == NOT_WAITING) {
            waitingSinceNanos = sentNanos;
        } else if (sentNanos - waitingSinceNanos > timeoutNanos) {
            journal.outage(
                    "no answer for "
                            + Duration.ofNanos(sentNanos - waitingSinceNanos).toMillis() + "ms",
                    null,
                    sentNanos);
        }
    }

    private void noteAnswer(long tookNanos, long timeoutNanos, Now now) {
        waitingSinceNanos = NOT_WAITING;
        if (tookNanos > timeoutNanos) {
            journal.outage(
                    "an answer took " + tookNanos / 1_000_000 + "ms, longer than requestTimeout ("
                            + timeoutNanos / 1_000_000
                            + "ms); find out what slows the store, or set a longer lease",
                    null,
                    now.monotonicNanos());
        } else {
            journal.well(now.monotonicNanos());
        }
    }

    private <T> void failed(Verb verb, long tookNanos, @Nullable Throwable thrown, Outcome<T> outcome, Now now) {
        waitingSinceNanos = NOT_WAITING;
        Throwable why = thrown == null
                ? new IllegalStateException("the store returned null, a bug in its implementation")
                : Causes.unwrapped(thrown);
        counters.failed(verb, why, tookNanos);
        journal.outage("a call failed", why, now.monotonicNanos());
        outcome.failed(why, now);
    }
}
