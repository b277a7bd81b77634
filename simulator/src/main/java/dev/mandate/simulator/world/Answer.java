package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import org.jspecify.annotations.Nullable;

/** The answer to a request reaches the process that asked, or it turns out that none will come. */
final class Answer extends Step {
    /** There will be no answer. */
    static final Object FAILED = "failed";
    /** There will be no answer until somebody changes something. */
    static final Object FAULTED = "not permitted";
    /** Another request must come first. */
    static final Object LATER = "later";
    /** A session was ended. */
    static final Object ENDED = "ended";

    private final Call call;
    private final Object answer;

    Answer(Candidate to, Call call, Object answer) {
        super(to);
        this.call = call;
        this.answer = answer;
    }

    @Override
    void run(World world) {
        Candidate to = call.from;
        Registrant registrant = to.registrant;
        if (call.follower != null) {
            followed(call.follower);
        } else if (call.action instanceof QueueAction.ListPage
                || call.action instanceof ElectionAction.Request place && Lines.isOf(place.key())) {
            if (to.waiter != null) {
                to.waiter.answered(call, answer);
            }
        } else if (call.action instanceof ElectionAction.Request request && Service.isOf(request.key())) {
            if (registrant != null) {
                registrant.answered(call, answer);
            }
        } else if (call.action instanceof ElectionAction.Request request) {
            Post post = to.posts[World.election(request.key())];
            boolean awaited = post.pendingRequest == call.request && to.get().monotonicNanos() < post.pendingUntilNanos;
            // A late answer to an acquire may end a doubt.
            boolean acquires = request instanceof ElectionAction.Acquire;
            to.traffic.ended(post, request, answer, awaited);
            if (post.pendingRequest == call.request) {
                post.pendingRequest = -1;
            }
            Reign reign = awaited ? post.open() : null;
            if (answer == FAILED) {
                to.deliverAnswer(post, new ElectionEvent.Unanswered(call.request), awaited || acquires);
            } else if (answer == FAULTED) {
                if (acquires || call.isLook()) {
                    post.faultedNanos = to.get().monotonicNanos();
                }
                to.deliverAnswer(post, new ElectionEvent.Faulted(call.request, "not permitted"), awaited || acquires);
            } else if (answer instanceof Observation seen) {
                to.deliverAnswer(post, new ElectionEvent.ReadAnswered(call.request, seen), awaited);
            } else {
                WriteOutcome outcome = (WriteOutcome) answer;
                post.gaveUp |= isOver(outcome, request, to, post, awaited);
                if (outcome instanceof WriteOutcome.Refused refused
                        && refused.now().isEmpty()) {
                    to.refusedBlindly();
                }
                to.deliverAnswer(post, new ElectionEvent.WriteAnswered(call.request, outcome), awaited || acquires);
                if (reign != null
                        && !isStale()
                        && outcome instanceof WriteOutcome.Refused refused
                        && refused.now().isPresent()
                        && !(refused.now().get() instanceof Observation.Held held && held.isAttempt(reign.attempt()))) {
                    world.deadlines.toldLost("candidate " + to.index, reign.isEnded);
                }
            }
            // Checked now, because an answer that comes when the time is already over is too late.
            lookAt(reign);
        } else if (call.action instanceof SessionAction.Request) {
            session(to);
        } else {
            listing(to);
        }
    }

    /** Whether the newest attempt is now known to be over; if a duplicate lands later, it is a stray. */
    private static boolean isOver(
            WriteOutcome outcome, ElectionAction.Request request, Candidate to, Post post, boolean awaited) {
        return outcome instanceof WriteOutcome.Refused refused
                && request instanceof ElectionAction.Acquire acquire
                && acquire.proposal().attempt().equals(post.attempt)
                && !(refused.now().orElse(null) instanceof Observation.Held held && held.isAttempt(post.attempt))
                && (awaited || to.machine.role(post.key) instanceof Role.Doubting);
    }

    @SuppressWarnings("unchecked")
    private void followed(Registrant follower) {
        if (call.action instanceof ElectionAction.Read) {
            follower.looked(call, answer instanceof Observation seen ? seen : null);
            return;
        }
        boolean isPage = answer instanceof Page<?>;
        follower.listed(call, isPage ? (Page<Observation>) answer : null, answer == FAULTED ? "not permitted" : null);
    }

    @SuppressWarnings("unchecked")
    private void listing(Candidate to) {
        if (answer instanceof Page<?> page) {
            to.listed(call, (Page<Observation>) page);
        } else {
            to.notListed(call.request, answer == FAULTED ? "not permitted" : null);
        }
    }

    /** What the answer shows to a term that awaits it. */
    private void lookAt(@Nullable Reign reign) {
        if (reign == null) {
            return;
        } else if (answer instanceof Observation seen) {
            reign.shown(seen, call.askedAtNanos);
        } else if (answer instanceof WriteOutcome.Written written) {
            reign.shown(written.now(), call.askedAtNanos);
        } else if (answer instanceof WriteOutcome.Refused refused) {
            reign.shown(refused.now().orElse(null), call.askedAtNanos);
        }
    }

    private void session(Candidate to) {
        to.traffic.ended((SessionAction.Request) call.action, answer);
        if (answer == FAILED) {
            to.deliver(new SessionEvent.Unanswered(call.request));
        } else if (answer == FAULTED) {
            to.deliver(new SessionEvent.Faulted(call.request, "not permitted"));
        } else if (answer instanceof SimSession opened) {
            to.deliver(new SessionEvent.Opened(call.request, opened));
        } else if (answer instanceof SessionRenewal renewal) {
            boolean awaited = to.sessions.awaitsRenewal(call.request);
            to.deliver(new SessionEvent.Renewed(call.request, renewal));
            if (awaited && renewal == SessionRenewal.gone() && !isStale()) {
                for (Post post : to.posts) {
                    Reign reign = post.reign;
                    if (reign != null && reign.isUnder(((SessionAction.Renew) call.action).handle())) {
                        to.world.deadlines.toldLost("candidate " + to.index, reign.isEnded);
                    }
                }
            }
        } else {
            to.deliver(new SessionEvent.Ended(call.request));
        }
    }

    @Override
    long mark() {
        return 0x200 + call.request * 37 + (answer == FAILED ? 1 : answer == FAULTED ? 2 : 3);
    }

    @Override
    public String toString() {
        return "candidate " + call.from.index + " gets #" + call.request + ": " + answer;
    }
}
