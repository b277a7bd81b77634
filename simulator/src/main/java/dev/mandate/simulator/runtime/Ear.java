package dev.mandate.simulator.runtime;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Hazard;
import org.jspecify.annotations.Nullable;

/** A listener: what it is told must have happened, in that order, one call at a time. */
final class Ear {
    private final Process process;
    private final RuntimeWorld world;
    private final int election;
    private final Observing observing;
    private boolean isInside;
    private boolean isClosed;
    private long newest;
    /** The earliest point in the history of the key that it can have reached. */
    private int at;

    private @Nullable LeaderView last;

    Ear(Process process, int election, Election of) {
        this.process = process;
        this.world = process.world;
        this.election = election;
        this.observing = of.observe(this::changed);
    }

    private String who() {
        return process + "'s listener of election " + election;
    }

    private void changed(LeaderView view) {
        process.isolated("a listener");
        world.note(() -> "  " + who() + " is told " + view);
        if (isInside) {
            world.judge.violated(Invariant.CALLBACKS, who() + " is called while it is called");
        }
        if (isClosed || process.isSilent()) {
            world.judge.violated(
                    Invariant.SILENCE,
                    who() + " is called after " + (isClosed ? "it was closed" : "close() came back"));
        }
        isInside = true;
        last = view;
        if (view instanceof LeaderView.Led led) {
            Leader by = led.current();
            world.mix(by.token().value());
            if (!by.foreign()) {
                told(new StoreServer.State(by.candidate(), by.token().value(), by.value()), by.toString());
            }
        } else if (view instanceof LeaderView.Vacant && !world.knobs.kind.isJudged()) {
            told(new StoreServer.State(null, 0, ""), "a vacancy");
        }
        try {
            if (!world.isHealed() && world.random.nextDouble() < world.knobs.slowListener) {
                world.fired(Hazard.LISTENER_SLOW);
                process.sleepStubbornly(world.random.nextLong(world.knobs.timing.requestTimeoutNanos()));
            }
        } finally {
            isInside = false;
        }
    }

    private void told(StoreServer.State state, String what) {
        int found = world.server.find(election, state, at);
        if (found < 0) {
            boolean ever = world.server.stood(election, state);
            world.judge.violated(
                    Invariant.VIEW,
                    who() + " is told of " + what + (ever ? " after what came later" : ", which never was so"));
        } else {
            at = found;
        }
        if (!state.isVacant() && state.term() < newest) {
            world.judge.violated(Invariant.VIEW, who() + " is told of " + what + " after term " + newest);
        }
        newest = Math.max(newest, state.term());
    }

    void close() {
        observing.close();
        isClosed = process.stalledUntil() < world.now() - world.knobs.leaseNanos();
    }

    /** Whether the last report is true now: this term leads, or nobody. */
    boolean isRight(@Nullable Tenure leader) {
        LeaderView told = last;
        if (leader == null) {
            return told instanceof LeaderView.Vacant;
        }
        return told instanceof LeaderView.Led led && led.current().token().value() == leader.term();
    }

    String told() {
        return String.valueOf(last);
    }
}
