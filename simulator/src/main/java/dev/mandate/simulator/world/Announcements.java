package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.View;
import dev.mandate.simulator.check.ReasonCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Stance;

/** Checks what one client announces and requests against the truth, and passes it on to the client's work. */
final class Announcements {
    private final Candidate candidate;
    private final World world;

    Announcements(Candidate candidate) {
        this.candidate = candidate;
        this.world = candidate.world;
    }

    private String who(Post post) {
        return "candidate " + candidate.index + " in election " + post.election;
    }

    private long nanos() {
        return candidate.get().monotonicNanos();
    }

    // ---- announcements ----

    void announce(Post post, ElectionAction action) {
        if (action instanceof ElectionAction.Begin begin) {
            begun(post, begin);
        } else if (action instanceof ElectionAction.End end) {
            ended(post, end);
        } else if (action instanceof ElectionAction.Overrun overrun) {
            overran(post, overrun);
        } else if (action instanceof ElectionAction.Observed observed) {
            observed(post, observed.view());
        } else if (action instanceof ElectionAction.Stood stood) {
            stood(post, stood.stance());
        } else if (action instanceof ElectionAction.Withdrawn) {
            // Writes of this candidacy that still land are strays to the next.
            post.gaveUp = true;
            candidate.traffic.withdrawn(post.election);
            if (!candidate.isClosing || !post.callbacks.isSilent()) {
                post.callbacks.withdrawn(post.hasRunningWork());
            }
            if (post.standsNext) {
                world.users.standsAgain(post);
            }
        } else if (action instanceof ElectionAction.Proclaimed proclaimed) {
            post.callbacks.proclaimed(proclaimed.command());
            if (proclaimed.written()) {
                post.values.proclaimed(proclaimed.command());
            }
        }
    }

    private void begun(Post post, ElectionAction.Begin begin) {
        Reign reign = new Reign(post, begin.term(), nanos());
        world.mix(begin.term().number());
        post.callbacks.begun(begin.term().number());
        post.values.begun(begin.term().number(), begin.term().attempt(), begin.held());
        world.works.begins(who(post), begin.term().attempt().equals(post.attempt), settlingLeft(reign));
        world.terms.begun(
                post.election,
                begin.term().number(),
                post.isExcused(begin.term().attempt()));
        post.reign = reign;
        post.attemptBegun = true;
        world.begun(reign);
        WorkStep.start(reign);
    }

    /** How much of the least settling time is left, where every win must settle. */
    private long settlingLeft(Reign reign) {
        Knobs knobs = world.knobs;
        return knobs.settle == Settle.ALWAYS ? reign.sentNanos + knobs.settlingMin() - reign.beganNanos : 0;
    }

    private void ended(Post post, ElectionAction.End end) {
        Reign reign = post.reign;
        world.mix(end.term().number() + 7 * end.reason().ordinal());
        post.callbacks.ended(end.term().number());
        if (reign == null || reign.term != end.term()) {
            return;
        }
        Id attempt = end.term().attempt();
        SessionLease session = reign.session;
        world.reasons.ended(
                world.log == null ? "a term" : reign.toString(),
                end.reason(),
                new ReasonCheck.Truth(
                        post.commandedTerm == end.term().number() || !post.stands,
                        reign.isLeaseOver(),
                        world.server.standing(post.election) instanceof Observation.Held held
                                && held.isAttempt(attempt)
                                && held.term() == end.term().number()
                                // A look may have seen it gone.
                                && !world.chronicle.cameBack(post.election, attempt),
                        session != null && ((SimSession) session.handle()).isKnownOver,
                        post.wasAskedToLeave(attempt),
                        reign.isUnseen()));
        reign.end();
        LeaseWindow window = end.term().cell().window();
        boolean ranAllTheTime = world.knobs.wakeLagMax == 0
                && (candidate.thawedAt == 0 || candidate.clock.nanos(candidate.thawedAt) < window.sentNanos());
        boolean lookedInTime = lookedInTime(reign, window);
        if (end.reason() == EndReason.LEASE_RAN_OUT
                && ranAllTheTime
                && lookedInTime
                && nanos() >= window.stopAtNanos()) {
            Tries tries = session != null ? ((SimSession) session.handle()).tries : post.tries;
            world.reasons.ranOut(who(post), tries.since(window.sentNanos()));
        }
        if (Post.coolsDown(end.reason())) {
            post.coolDown(nanos() - reign.beganNanos);
        }
        world.ended(reign, end.reason());
        WorkStep.stop(reign);
    }

    /** Whether a look that had to show the record came early enough for three tries. */
    private boolean lookedInTime(Reign reign, LeaseWindow window) {
        LeaseTiming timing = candidate.timing;
        long room = 3 * timing.requestTimeoutNanos() + 2 * timing.retryIntervalNanos();
        // Many elections in doubt share the budget of retries, which is at least 8 per lease.
        boolean inTurn = world.knobs.elections <= 8 || window.stopAtNanos() - reign.beganNanos >= room;
        // After a fault, looks are slow.
        return inTurn && reign.post.faultedNanos < window.sentNanos();
    }

    private void overran(Post post, ElectionAction.Overrun overrun) {
        world.fired(Fault.WORK_OVERRAN);
        Reign reign = post.reign;
        if (reign != null && reign.term == overrun.term()) {
            reign.isOverrun = true;
            reign.overrunNanos = nanos();
        }
        if (candidate.settings.overrun() == OverrunPolicy.HALT) {
            world.users.restartLater(candidate);
            candidate.crash();
        }
    }

    private void observed(Post post, View view) {
        post.told = view;
        Observation.Held held = view.held();
        if (held != null) {
            world.mix(held.term());
            post.views.led(held);
        } else if (view.state() == View.State.VACANT && world.knobs.kind.isJudged()) {
            post.views.silent(candidate.timing.leaseNanos(), candidate.clock.rate(), world.now);
        } else if (view.state() == View.State.VACANT) {
            post.views.vacant();
        }
    }

    private void stood(Post post, Stance stance) {
        post.turns.says(stance, nanos());
        if (stance instanceof Stance.Following && world.server.standing(post.election) instanceof Observation.Vacant) {
            world.misledAt = world.now;
        }
        if (candidate.waiter != null) {
            candidate.waiter.apply(post.key);
        }
        if (world.order != null) {
            world.order.stands(post, stance);
        }
    }

    // ---- requests ----

    void asks(Post post, ElectionAction.Request request) {
        if (request instanceof ElectionAction.Acquire acquire) {
            acquires(post, acquire);
        } else if (request instanceof ElectionAction.Update update) {
            post.callbacks.wrote("an update");
        } else if (request instanceof ElectionAction.Release release) {
            releases(post, release.basis());
        }
    }

    private void acquires(Post post, ElectionAction.Acquire acquire) {
        post.callbacks.wrote("the lead");
        if (candidate.settings.ordered()) {
            post.turns.tries(nanos());
        }
        world.works.acquires(who(post), post.hasRunningWork(), post.stands, post.coolDownLeftNanos());
        post.attempt = acquire.proposal().attempt();
        post.attemptSession = acquire.session();
        post.attemptSent = candidate.get();
        post.attemptSentAt = world.now;
        if (acquire.basis() instanceof Observation.Held) {
            world.misledAt = world.now;
        }
        post.attemptBegun = false;
        post.gaveUp = false;
    }

    private void releases(Post post, Observation.Held basis) {
        if (basis.isForeign()) {
            world.judge.violated(
                    dev.mandate.simulator.check.Invariant.RELEASE, who(post) + " releases a stranger's record");
            return;
        }
        Id attempt = basis.record().attempt();
        Reign reign = post.reign;
        if (reign != null && attempt.equals(reign.attempt())) {
            world.works.letsGo(who(post), "the record of " + reign.term, reign.isWorking, isCovered(reign));
        } else if (attempt.equals(post.attempt) && !post.attemptBegun) {
            world.works.givesUp(who(post), mayGiveUp(post, basis));
            if (candidate.machine.role(post.key) instanceof Role.Stopping stopping
                    && Post.coolsDown(stopping.reason())
                    && !attempt.equals(post.endedBeforeItBegan)) {
                post.endedBeforeItBegan = attempt;
                post.coolDown(0);
            }
        }
    }

    /** Whether the policy is satisfied: the lease was held for one more L after the overrun was reported. */
    private boolean isCovered(Reign reign) {
        return reign.isOverrun
                && candidate.settings.overrun() != OverrunPolicy.HOLD
                && nanos() - reign.overrunNanos >= candidate.timing.leaseNanos();
    }

    /** Whether an attempt in the store may be released without having led: any reason that rules 3 and 6 name. */
    private boolean mayGiveUp(Post post, Observation.Held basis) {
        SessionLease session = post.attemptSession;
        Now sent = post.attemptSent;
        boolean over = session != null
                ? session.cell().isLatched() || session.cell().window().isStopPassed(candidate.get())
                : sent != null
                        && candidate
                                .timing
                                .window(sent, candidate.timing.leaseNanos() - candidate.settings.reserveNanos())
                                .isStopPassed(candidate.get());
        boolean hadReason = post.gaveUp
                // By the wall clock, a grant later than the attempt's own may end before it.
                || candidate.steppedAheadAt >= post.attemptSentAt
                || over
                || sent != null && nanos() - sent.monotonicNanos() >= candidate.timing.sightNanos()
                || !post.stands
                || post.hasRunningWork()
                || basis.record().leave()
                || world.chronicle.stoodAtAnotherTerm(
                        post.election, basis.record().attempt(), basis.term())
                // A duplicate, or a renewal in flight, restored it after a look had seen it gone.
                || world.chronicle.cameBack(post.election, basis.record().attempt())
                // The store has lost data or its clock: no term can have such a number.
                || basis.term() <= world.terms.highest(post.election)
                || post.wasAskedToLeave(basis.record().attempt());
        post.gaveUp = hadReason;
        return hadReason;
    }

    void endsSession(SimSession session) {
        for (Post post : candidate.posts) {
            Reign reign = post.reign;
            // If the record is already gone, the session covers nothing.
            boolean covers = reign != null
                    && reign.session != null
                    && reign.session.handle() == session
                    && reign.attempt().equals(world.server.attempt(post.election))
                    // A record that a duplicate of its request wrote afterwards is a stray.
                    && !world.chronicle.cameBack(post.election, reign.attempt());
            if (covers && reign != null) {
                world.works.letsGo(who(post), session + ", which covers it,", reign.isWorking, isCovered(reign));
            }
        }
    }
}
