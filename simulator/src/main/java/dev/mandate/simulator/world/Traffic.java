package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SweepAction;
import dev.mandate.simulator.check.ElectionRequests;
import dev.mandate.simulator.check.ElectionRequests.Kind;
import dev.mandate.simulator.check.ListingRequests;
import dev.mandate.simulator.check.OpeningRequests;
import dev.mandate.simulator.check.SessionRequests;
import dev.mandate.simulator.check.Spacing;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One client's requests at the store and what it knows of their outcomes, as reported to the checkers of its pace. */
final class Traffic {
    private final Candidate candidate;
    private final Spacing spacing;
    private final ElectionRequests[] elections;
    private final Role[] roles;
    private final boolean[] isAnswered;
    private final boolean[] mayGiveUp;
    /** Whether a request met a fault; the client does not hear of it if its term ended at the same instant. */
    private final boolean[] isFaulted;

    /** The sign of life that the last answer showed, unless a hint had overtaken it. */
    private final @Nullable Liveness[] signs;

    private final long[] askedNanos;
    private final long[] hintedNanos;

    private final ListingRequests listing;
    private final OpeningRequests openings;
    /** When an election last had a record to let go of, before the last step. */
    private long lettingGoNanos;

    private long openRequest = -1;
    private long pageRequest = -1;

    /** For a client that has just begun. */
    Traffic(Candidate candidate) {
        String who = "candidate " + candidate.index;
        this.candidate = candidate;
        this.spacing = Spacing.of(candidate.timing);
        this.elections = new ElectionRequests[candidate.posts.length];
        this.roles = new Role[elections.length];
        this.isAnswered = new boolean[elections.length];
        this.isFaulted = new boolean[elections.length];
        this.mayGiveUp = new boolean[elections.length];
        this.signs = new Liveness[elections.length];
        this.askedNanos = new long[elections.length];
        this.hintedNanos = new long[elections.length];
        Arrays.fill(hintedNanos, Long.MIN_VALUE);
        for (int e = 0; e < elections.length; e++) {
            elections[e] = new ElectionRequests(who + ", in election " + e + ",", spacing, candidate.world.judge);
            roles[e] = candidate.machine.role(World.key(e));
        }
        this.lettingGoNanos = Long.MIN_VALUE / 2;
        this.listing = new ListingRequests(who, spacing, candidate.world.judge);
        this.openings = new OpeningRequests(who, spacing, candidate.world.judge);
    }

    private long nanos() {
        // Reading all clocks would improve the machine's estimate of its time since boot.
        return candidate.clock.nanos(candidate.world.now);
    }

    /** The machines have taken a step; their requests follow. */
    void stepped() {
        if (listing.isPending() && listing.timeOut(nanos())) {
            wantsLooks();
        }
        boolean isWanted = false;
        for (int e = 0; e < elections.length; e++) {
            Role role = candidate.machine.role(World.key(e));
            boolean ends = role instanceof Role.Stopping && !(roles[e] instanceof Role.Stopping);
            if (roles[e] instanceof Role.Stopping) {
                lettingGoNanos = nanos();
            }
            if (isFaulted[e] && !ends) {
                elections[e].faulted(nanos());
            }
            if (role.getClass() != roles[e].getClass()) {
                elections[e].changed(nanos(), isHolding(role) && !isHolding(roles[e]));
            }
            if (isFaulted[e] && ends) {
                elections[e].failed(nanos());
            }
            isFaulted[e] = false;
            // Time may pass before the end of a session is known: requests sent in between are given up.
            mayGiveUp[e] = role instanceof Role.Idle
                    || ends
                    || isHolding(roles[e]) && role instanceof Role.Following && !isAnswered[e];
            isWanted |= role instanceof Role.Leading || role instanceof Role.Settling;
            isAnswered[e] = false;
            roles[e] = role;
        }
        if (!isWanted) {
            listing.isUnwanted();
        }
    }

    /** Whether an election has, or had in the last lease, a record to let go of: one that stays costs the session. */
    boolean isLettingGo() {
        return nanos() - lettingGoNanos <= candidate.timing.leaseNanos();
    }

    private static boolean isHolding(Role role) {
        return role instanceof Role.Leading || role instanceof Role.Settling || role instanceof Role.Stopping;
    }

    // ---- elections ----

    void asks(int election, ElectionAction.Request request) {
        long nanos = nanos();
        long until = nanos + request.timeoutNanos();
        askedNanos[election] = nanos;
        ElectionRequests requests = elections[election];
        if (request instanceof ElectionAction.Acquire acquire) {
            requests.asks(Kind.ACQUIRE, acquire.session(), nanos, until);
        } else if (request instanceof ElectionAction.Update update) {
            requests.asks(update.intent() == Intent.RENEW ? Kind.RENEW : Kind.PROCLAIM, null, nanos, until);
        } else if (request instanceof ElectionAction.Release release) {
            Observation.Held basis = release.basis();
            requests.asks(
                    Kind.LET_GO, basis.isForeign() ? basis : basis.record().attempt(), nanos, until);
        } else {
            requests.asks(Kind.READ, null, nanos, until);
            if (mayGiveUp[election]) {
                requests.changed(nanos, false);
            }
        }
    }

    /** A request of an election was answered; {@code awaited} says whether in time. */
    void ended(Post post, ElectionAction.Request request, Object answer, boolean awaited) {
        long nanos = nanos();
        ElectionRequests requests = elections[post.election];
        if (request instanceof ElectionAction.Acquire) {
            requests.wantsLook(nanos);
        }
        if (!awaited) {
            return;
        }
        sees(post.election, answer);
        isAnswered[post.election] = answer instanceof Observation
                || answer instanceof WriteOutcome.Written
                || answer instanceof WriteOutcome.Refused shown && shown.now().isPresent();
        if (answer == Answer.FAILED) {
            requests.failed(nanos);
        } else if (answer == Answer.FAULTED) {
            isFaulted[post.election] = true;
        } else if (answer instanceof Observation seen) {
            boolean isHeld = seen instanceof Observation.Held;
            requests.answered(nanos, isHeld, isHeld && ((Observation.Held) seen).isAttempt(post.attempt));
        } else if (answer instanceof WriteOutcome.Refused refused
                && request instanceof ElectionAction.Acquire acquire
                && !isOf(acquire, refused.now().orElse(null))) {
            requests.refused(
                    nanos,
                    refused.now().orElse(null) instanceof Observation.Held,
                    refused.retryAfter().map(Duration::toNanos).orElse(0L));
        } else {
            requests.answered(nanos, false, false);
        }
    }

    private static boolean isOf(ElectionAction.Acquire acquire, @Nullable Observation seen) {
        return seen instanceof Observation.Held held
                && held.isAttempt(acquire.proposal().attempt());
    }

    private static @Nullable Observation shown(Object answer) {
        if (answer instanceof WriteOutcome.Refused refused) {
            return refused.now().orElse(null);
        }
        return answer instanceof WriteOutcome.Written written
                ? written.now()
                : answer instanceof Observation seen ? seen : null;
    }

    private void sees(int election, Object answer) {
        Observation seen = shown(answer);
        showsLife(election, seen);
        if (seen != null && askedNanos[election] > hintedNanos[election]) {
            signs[election] = seen instanceof Observation.Held held ? held.liveness() : null;
        }
    }

    /**
     * Where observers judge, the client looks at a holder once it has shown no sign of life for its lease. What a hint
     * or a listing shows may not count, nor an answer that a hint has overtaken. So the next answer may show a sign of
     * life that is just as new.
     */
    private void showsLife(int election, @Nullable Observation seen) {
        if (candidate.world.knobs.kind.isJudged()
                && seen instanceof Observation.Held held
                && !held.liveness().equals(signs[election])) {
            long lease = held.lease().map(Duration::toNanos).orElseGet(candidate.timing::leaseNanos);
            elections[election].showsLife(nanos() + lease);
        }
    }

    /** An event reaches one election. */
    void hears(int election, ElectionEvent event) {
        if (event instanceof ElectionEvent.Hinted hint) {
            hintedNanos[election] = nanos();
            elections[election].hinted(nanos());
            showsLife(election, hint.observation());
        } else if (event instanceof ElectionEvent.Observe) {
            elections[election].wantsLook(nanos());
        } else if (event instanceof ElectionEvent.Campaign) {
            elections[election].campaigns(nanos());
        } else if (event instanceof ElectionEvent.Proclaim) {
            elections[election].wantsProclaim(nanos());
        }
    }

    /** A candidacy is over, and another may begin at once: no look of the first is awaited any more. */
    void withdrawn(int election) {
        elections[election].changed(nanos(), false);
    }

    /** Something makes all elections look. */
    void wantsLooks() {
        for (ElectionRequests requests : elections) {
            requests.wantsLook(nanos());
        }
    }

    // ---- listings ----

    void asks(SweepAction request) {
        listing.asks(request.from().equals(Cursor.START), nanos(), nanos() + request.timeoutNanos());
        pageRequest = request.request();
    }

    /** A page came; null if it will not come. */
    void listed(long request, @Nullable Page<Observation> page, boolean forGood) {
        Arrays.fill(hintedNanos, nanos());
        for (ElectionRequests requests : elections) {
            requests.hinted(nanos());
        }
        if (request != pageRequest) {
            return;
        }
        pageRequest = -1;
        if (page == null) {
            listing.failed(nanos(), forGood);
        } else {
            listing.answered(page.after() == null);
            page.items().forEach(item -> showsLife(World.election(item.key()), item));
        }
    }

    // ---- sessions ----

    void asks(SessionAction.Request request) {
        long nanos = nanos();
        long until = nanos + request.timeoutNanos();
        if (request instanceof SessionAction.Open) {
            openings.asks(nanos, until);
            openRequest = request.request();
            return;
        }
        SimSession session = session(request);
        SessionRequests requests = session.requests;
        if (requests != null) {
            requests.asks(request instanceof SessionAction.Renew, nanos, until);
            session.pendingRequest = request.request();
        }
    }

    private static SimSession session(SessionAction.Request request) {
        return (SimSession)
                (request instanceof SessionAction.Renew renew
                        ? renew.handle()
                        : ((SessionAction.End) request).handle());
    }

    void ended(SessionAction.Request request, Object answer) {
        boolean isFailed = answer == Answer.FAILED || answer == Answer.FAULTED;
        if (request instanceof SessionAction.Open) {
            opened(request.request(), isFailed, answer);
            return;
        }
        SimSession session = session(request);
        SessionRequests requests = session.requests;
        if (requests == null || session.pendingRequest != request.request()) {
            return;
        }
        session.pendingRequest = -1;
        if (isFailed) {
            requests.failed(nanos(), answer == Answer.FAULTED);
        } else {
            requests.answered(nanos());
            openings.renewed();
        }
    }

    private void opened(long request, boolean isFailed, Object answer) {
        if (request != openRequest) {
            return;
        }
        openRequest = -1;
        if (isFailed) {
            openings.failed(nanos(), answer == Answer.FAULTED);
        } else if (openings.opened(nanos()) && !candidate.isClosing) {
            // A session that comes too late is ended whenever the store reports it opened, which may happen twice.
            SimSession session = (SimSession) answer;
            long granted = Math.min(session.granted().toNanos(), candidate.timing.leaseNanos());
            session.requests = new SessionRequests(
                    "candidate " + candidate.index + ", in session " + session.number + ",",
                    spacing,
                    Spacing.of(candidate.timing.granted(granted)),
                    candidate.world.judge);
        }
    }
}
