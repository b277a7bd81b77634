package dev.mandate.simulator.runtime;

import dev.mandate.internal.Host;
import dev.mandate.simulator.check.Invariant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A loop or a watchdog: it takes a turn a little after it wants to or is woken. */
final class Driven implements Host.Drive {
    private final SimHost host;
    private final Process process;
    private final RuntimeWorld world;
    private final String name;
    private final Host.Step step;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private @Nullable Event next;
    private long wantedNanos = Long.MIN_VALUE;
    private boolean isInTurn;
    private boolean isWoken;
    private boolean isOver;

    /** Whether it is the loop. Descheduling a loop excuses nothing: deadlines hold without it. */
    final boolean isLoop;

    Driven(SimHost host, Process process, String name, Host.Step step) {
        this.host = host;
        this.process = process;
        this.world = process.world;
        this.step = step;
        this.isLoop = name.startsWith("mandate-loop");
        this.name = isLoop ? "loop" : "watchdog";
        rearm();
    }

    /** Computes its next turn anew, because it was woken or its clock moved. */
    void rearm() {
        if (isInTurn || isOver || process.isFrozen) {
            return;
        }
        if (!isWoken && wantedNanos == Long.MAX_VALUE) {
            return;
        }
        long at = isWoken ? world.now() : process.when(wantedNanos);
        Event armed = next;
        long late = at + world.wakeLag();
        if (armed == null || armed.isStale() || late < armed.at) {
            Event[] own = new Event[1];
            own[0] = world.put(late, process, name, () -> turn(own[0]));
            next = own[0];
        }
    }

    private void turn(@Nullable Event by) {
        Event armed = next;
        if (armed == null || isInTurn || isOver || by != null && armed.order != by.order && armed.at > world.now()) {
            return;
        }
        next = null;
        isInTurn = true;
        isWoken = false;
        Fiber fiber = world.running();
        fiber.turn = this;
        long at;
        try {
            at = step.step();
        } catch (WorldOver over) {
            throw over;
        } catch (Throwable e) {
            world.judge.violated(Invariant.TOTALITY, "the " + name + " of " + process + " threw " + e);
            at = host.nanosNow() + 10_000_000;
        }
        fiber.turn = null;
        isInTurn = false;
        if (at == Host.Step.DONE) {
            isOver = true;
            ended.complete(null);
            return;
        }
        // Time passes until the next turn, whatever it wants.
        wantedNanos = Math.max(at, host.nanosNow() + 1);
        rearm();
    }

    @Override
    public void wake() {
        isWoken = true;
        rearm();
        host.seam();
    }

    @Override
    public boolean isCurrent() {
        return world.running().turn == this;
    }

    @Override
    public void interrupt() {
        if (process.stalledUntil() > world.now() - 5 * RuntimeKnobs.SECOND) {
            return;
        }
        world.judge.violated(Invariant.ENDING, "the " + name + " of " + process + " is taken for hanging");
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended;
    }
}
