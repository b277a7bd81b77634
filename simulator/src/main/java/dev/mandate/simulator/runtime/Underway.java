package dev.mandate.simulator.runtime;

import dev.mandate.simulator.check.ElectionRequests;
import dev.mandate.simulator.check.ElectionRequests.Kind;
import dev.mandate.simulator.check.ListingRequests;
import dev.mandate.simulator.check.OpeningRequests;
import dev.mandate.simulator.check.SessionRequests;
import dev.mandate.simulator.check.Spacing;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one client has under way at the store, as reported to the checkers of its pace. When it sent a request follows
 * from its timeout; a request that has already timed out is ignored. What its machines heard of outcomes, and when, is
 * not known here: so each failure counts as the first, and any look may have been called for.
 */
final class Underway {
    private static final long OVER = Long.MIN_VALUE;

    private final Process process;
    private final Spacing spacing;
    private final ElectionRequests[] elections;
    private final long[] newest;
    /** When the acquire whose refusal may be missed times out; {@code MAX_VALUE} for none. */
    private final long[] refusedUntil;

    private final ListingRequests listing;
    private final OpeningRequests openings;
    private long newestPage;
    private long newestOpening;

    /** For a client that begins. */
    Underway(Process process) {
        this.process = process;
        this.spacing = Spacing.of(process.world.knobs.timing);
        this.elections = new ElectionRequests[process.seats.length];
        this.newest = new long[elections.length];
        this.refusedUntil = new long[elections.length];
        Arrays.fill(refusedUntil, Long.MAX_VALUE);
        for (int e = 0; e < elections.length; e++) {
            elections[e] = new ElectionRequests(process + ", in election " + e + ",", spacing, process.world.judge);
        }
        this.listing = new ListingRequests(process.toString(), spacing, process.world.judge);
        this.openings = new OpeningRequests(process.toString(), spacing, process.world.judge);
    }

    /** Requests for one session. */
    final class OfSession {
        private final SessionRequests requests;
        private long newest;

        OfSession(StoreSession session) {
            requests = new SessionRequests(process + ", in " + session + ",", spacing, spacing, process.world.judge);
        }

        <T> CompletionStage<T> ask(boolean renewal, CallContext call, Supplier<CompletionStage<T>> send) {
            long until = untilNanos(call);
            long number = ++newest;
            if (until != OVER) {
                requests.asks(renewal, until - requestTimeoutNanos(), until);
                requests.forgetsFailures();
            }
            return follow(
                    send,
                    answer -> {
                        if (number == newest) {
                            requests.answered(nanos());
                        }
                        if (answer instanceof SessionRenewal) {
                            openings.renewed();
                        }
                    },
                    () -> {
                        if (number == newest) {
                            requests.failed(nanos(), false);
                        }
                    });
        }
    }

    private long nanos() {
        return process.clock.nanos(process.world.now());
    }

    private long requestTimeoutNanos() {
        return process.world.knobs.timing.requestTimeoutNanos();
    }

    private long untilNanos(CallContext call) {
        long left = process.world.quietly(call::remaining).toNanos();
        // After a failed step, the client may have sent something, or got an answer, and not know it.
        return left == 0 || process.hasFailed() ? OVER : nanos() + left;
    }

    private static <T> CompletionStage<T> follow(
            Supplier<CompletionStage<T>> send, Consumer<T> answered, Runnable failed) {
        CompletionStage<T> stage;
        try {
            stage = send.get();
        } catch (IllegalStateException e) {
            failed.run();
            throw e;
        }
        // Callers that await the answer hear of it later.
        return stage.whenComplete((answer, why) -> {
            if (why == null) {
                answered.accept(answer);
            } else {
                failed.run();
            }
        });
    }

    /** A request for an election; {@code of} is the session of an acquire or the attempt of a release. */
    <T> CompletionStage<T> ask(
            int election, Kind kind, @Nullable Object of, CallContext call, Supplier<CompletionStage<T>> send) {
        ElectionRequests requests = elections[election];
        long until = untilNanos(call);
        long number = ++newest[election];
        if (until != OVER) {
            long sent = until - requestTimeoutNanos();
            if (kind == Kind.READ) {
                requests.changed(sent, false);
            } else if (kind == Kind.PROCLAIM) {
                // Nor is it known since when its user has wanted this.
                requests.wantsProclaim(sent);
            } else if (kind == Kind.ACQUIRE && sent >= refusedUntil[election]) {
                requests.perhapsMissedRefusal();
            }
            if (kind == Kind.ACQUIRE || sent < refusedUntil[election]) {
                refusedUntil[election] = Long.MAX_VALUE;
            }
            requests.asks(kind, of, sent, until);
            requests.forgetsFailures();
        }
        return follow(
                send,
                answer -> {
                    if (number == newest[election] && answered(requests, kind, answer) && until != OVER) {
                        refusedUntil[election] = until;
                    }
                },
                () -> {
                    if (number == newest[election]) {
                        requests.failed(nanos());
                    }
                });
    }

    /** Returns whether an acquire was refused. */
    private boolean answered(ElectionRequests requests, Kind kind, Object answer) {
        Observation seen = answer instanceof WriteOutcome.Written written
                ? written.now()
                : answer instanceof WriteOutcome.Refused refused ? refused.now().orElse(null) : (Observation) answer;
        boolean isOwn = seen instanceof Observation.Held held
                && !held.isForeign()
                && held.record().candidate().equals(process.name());
        if (kind == Kind.ACQUIRE && answer instanceof WriteOutcome.Refused && !isOwn) {
            requests.refused(nanos(), seen instanceof Observation.Held, 0);
            return true;
        }
        requests.answered(nanos(), seen instanceof Observation.Held, isOwn);
        if (isOwn) {
            requests.changed(nanos(), true);
        }
        return false;
    }

    /** Requests a page of a listing. */
    CompletionStage<Page<Observation>> list(
            boolean isFirst, CallContext call, Supplier<CompletionStage<Page<Observation>>> send) {
        long until = untilNanos(call);
        long number = ++newestPage;
        if (until != OVER) {
            listing.asks(isFirst, until - requestTimeoutNanos(), until);
            listing.forgetsFailures();
        }
        return follow(
                send,
                page -> {
                    if (number == newestPage) {
                        listing.answered(page.after() == null);
                    }
                },
                () -> {
                    if (number == newestPage) {
                        listing.failed(nanos(), false);
                    }
                });
    }

    /** The watch may have missed something: where no listing was needed until now, one may begin at once. */
    void gap() {
        listing.mayBeginAfresh();
    }

    /** Requests a session. */
    CompletionStage<StoreSession> open(CallContext call, Supplier<CompletionStage<StoreSession>> send) {
        long until = untilNanos(call);
        long number = ++newestOpening;
        if (until != OVER) {
            openings.asks(until - requestTimeoutNanos(), until);
            openings.renewed();
        }
        return follow(
                send,
                opened -> {
                    if (number == newestOpening) {
                        openings.opened(nanos());
                    }
                },
                () -> {
                    if (number == newestOpening) {
                        openings.failed(nanos(), false);
                    }
                });
    }
}
