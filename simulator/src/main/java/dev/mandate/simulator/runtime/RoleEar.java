package dev.mandate.simulator.runtime;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Hazard;
import org.jspecify.annotations.Nullable;

/** A listener of one candidacy: one call at a time, no two terms without an end between them, none after its end. */
final class RoleEar {
    private final Process process;
    private final RuntimeWorld world;
    private final int election;
    private boolean isInside;
    private @Nullable CandidacyStatus last;
    private long newest;

    RoleEar(Process process, int election, Candidacy of) {
        this.process = process;
        this.world = process.world;
        this.election = election;
        of.onChange(this::changed);
    }

    private String who() {
        return process + "'s listener of its candidacy in election " + election;
    }

    private void changed(CandidacyStatus now) {
        process.isolated("a candidacy's listener");
        world.note(() -> "  " + who() + " is told " + now);
        world.mix(now.state().ordinal());
        if (isInside) {
            world.judge.violated(Invariant.CALLBACKS, who() + " is called while it is called");
        }
        follows(last, now);
        isInside = true;
        last = now;
        try {
            // Long enough to miss whole terms: nobody waits for this listener.
            if (!world.isHealed() && world.random.nextDouble() < world.knobs.slowListener) {
                world.fired(Hazard.LISTENER_SLOW);
                process.sleepStubbornly(world.random.nextLong(4 * world.knobs.leaseNanos()));
            }
        } finally {
            isInside = false;
        }
    }

    private void follows(@Nullable CandidacyStatus before, CandidacyStatus now) {
        if (before != null && before.state() == CandidacyStatus.State.NOT_CAMPAIGNING) {
            world.judge.violated(Invariant.SILENCE, who() + " is told " + now + " after the end");
        }
        if (before != null && before.state() == now.state()) {
            world.judge.violated(Invariant.VIEW, who() + " is told " + now + " right after " + before);
        }
        long term = now.fencingToken().map(token -> token.value()).orElse(Long.MAX_VALUE);
        if (term <= newest) {
            world.judge.violated(Invariant.VIEW, who() + " is told " + now + " after term " + newest);
        }
        newest = now.isLeader() ? term : newest;
    }

    /** Whether the last report is true now: this client leads with that term, or does not. */
    boolean isRight(@Nullable Tenure own) {
        CandidacyStatus told = last;
        if (told == null) {
            return false;
        }
        return own == null
                ? !told.isLeader()
                : told.fencingToken().map(token -> token.value() == own.term()).orElse(false);
    }

    String told() {
        return String.valueOf(last);
    }
}
