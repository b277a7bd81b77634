package dev.mandate.simulator.runtime;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.Judge;
import dev.mandate.simulator.world.Transcript;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The events of one world in the order of virtual time, and the fibers that run them, exactly one at a time. A piece
 * that waits or is descheduled keeps its fiber; another fiber runs the next events.
 */
final class Scheduler {
    private static final long STEPS_MAX = 300_000;

    /** A fiber in the midst of a piece. */
    private static final class Parked {
        final Fiber fiber;
        final @Nullable Process process;
        final int epoch;
        final @Nullable CompletableFuture<?> done;
        final boolean isInterruptible;
        boolean isWoken;

        Parked(Fiber fiber, @Nullable CompletableFuture<?> done, boolean isInterruptible) {
            this.fiber = fiber;
            this.process = fiber.process;
            this.epoch = process == null ? 0 : process.epoch;
            this.done = done;
            this.isInterruptible = isInterruptible;
        }

        boolean isLost() {
            return process != null && (process.epoch != epoch || !process.isUp);
        }
    }

    private final Judge judge;
    private final @Nullable Transcript log;
    private final Runnable afterEvent;
    private final PriorityQueue<Event> events = new PriorityQueue<>(64);
    private final List<Parked> parked = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Parked resuming;
    private @Nullable Fiber running;
    private boolean mayWake;
    private boolean isOver;
    private long orders;
    private long steps;
    private long hash;

    /** True time. */
    private long now;

    Scheduler(Judge judge, @Nullable Transcript log, Runnable afterEvent) {
        this.judge = judge;
        this.log = log;
        this.afterEvent = afterEvent;
    }

    long now() {
        return now;
    }

    long steps() {
        return steps;
    }

    long hash() {
        return hash;
    }

    void mix(long value) {
        long mixed = (hash ^ value ^ now) * 0x9E3779B97F4A7C15L;
        hash = mixed ^ mixed >>> 29;
    }

    // ---- from inside ----

    /** Schedules {@code piece} at a true time, in {@code process} if that still lives then. */
    Event put(long at, @Nullable Process process, String what, Runnable piece) {
        Event event = new Event(Math.max(now, at), orders++, process, what, piece);
        events.add(event);
        return event;
    }

    /** Schedules a postponed event for now, because its process runs again. */
    void putAgain(Event event) {
        events.add(event.again(now, orders++));
    }

    /** Ends the world: nothing more happens. */
    void end() {
        isOver = true;
    }

    boolean isOver() {
        return isOver;
    }

    Fiber running() {
        if (running == null) {
            throw new IllegalStateException("nobody runs");
        }
        return running;
    }

    /** Deschedules the caller until then. */
    void pause(long untilTrue) {
        park(null, untilTrue, false);
    }

    /**
     * Waits until {@code done} is completed, the caller is interrupted, or a true time has come.
     *
     * @param untilTrue {@code Long.MAX_VALUE} for no limit
     */
    void await(@Nullable CompletableFuture<?> done, long untilTrue) throws InterruptedException {
        if (done != null && done.isDone()) {
            return;
        }
        Fiber me = running();
        if (!me.takeInterrupt()) {
            park(done, untilTrue, true);
            if (done != null && done.isDone() || !me.takeInterrupt()) {
                return;
            }
        }
        throw new InterruptedException();
    }

    /** Stops the caller for good. */
    void parkForEver() {
        park(null, Long.MAX_VALUE, false);
    }

    private void park(@Nullable CompletableFuture<?> done, long untilTrue, boolean isInterruptible) {
        if (isOver) {
            throw new WorldOver();
        }
        Fiber me = running();
        Parked mine = new Parked(me, done, isInterruptible);
        parked.add(mine);
        if (untilTrue != Long.MAX_VALUE) {
            put(untilTrue, mine.process, "goes on", () -> resuming = mine);
        }
        if (done != null) {
            done.whenComplete((value, failure) -> mayWake = true);
        }
        Fiber other = Fiber.idle(this);
        running = other;
        other.giveBaton();
        me.awaitBaton();
        if (isOver) {
            throw new WorldOver();
        }
    }

    /** Some fiber was interrupted. */
    void interrupted() {
        mayWake = true;
    }

    // ---- the events ----

    /** Runs everything on fibers; returns when the world is over. */
    void run() {
        Fiber first = Fiber.idle(this);
        running = first;
        first.giveBaton();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a schedule ran", e);
        }
    }

    /** Runs events on a fiber that has the baton and nothing else to do. */
    void goOn(Fiber me) {
        while (true) {
            me.process = null;
            me.turn = null;
            if (!isOver) {
                wakeWhoseTimeHasCome();
                afterEvent.run();
            }
            if (isOver || judge.isBroken()) {
                isOver = true;
                // Fibers that are torn away from their work do things that no thread does.
                judge.close();
                endAnother(me);
                return;
            }
            take(me);
            Parked next = resuming;
            resuming = null;
            if (next != null && !next.isWoken) {
                next.isWoken = true;
                parked.remove(next);
                me.becomeIdle();
                running = next.fiber;
                next.fiber.giveBaton();
                return;
            }
        }
    }

    private void wakeWhoseTimeHasCome() {
        if (!mayWake) {
            return;
        }
        mayWake = false;
        for (Parked each : parked) {
            CompletableFuture<?> done = each.done;
            boolean isDone = done != null && done.isDone();
            if (!each.isLost() && (isDone || each.isInterruptible && each.fiber.isInterruptPending())) {
                put(now, each.process, "wakes", () -> resuming = each);
            }
        }
    }

    private void take(Fiber me) {
        Event event = events.poll();
        if (event == null) {
            judge.violated(Invariant.TOTALITY, "nothing will ever happen again");
            return;
        }
        if (event.isStale()) {
            return;
        }
        now = event.at;
        Process process = event.process;
        if (process != null && process.isFrozen) {
            process.putOff(event);
            return;
        }
        if (++steps > STEPS_MAX) {
            judge.violated(Invariant.LOAD, "more than " + STEPS_MAX + " steps");
            return;
        }
        mix(event.order);
        me.process = process;
        if (log != null) {
            log.add(now, (process == null ? "" : process + " ") + event.what);
        }
        try {
            event.piece.run();
        } catch (WorldOver over) {
            return;
        } catch (RuntimeException | Error e) {
            StackTraceElement[] trace = e.getStackTrace();
            judge.violated(
                    Invariant.TOTALITY,
                    event.what + (process == null ? "" : " of " + process) + " threw " + e
                            + (trace.length > 0 ? " at " + trace[0] : ""));
        }
        if (me.takeInterrupt() && !isOver) {
            judge.violated(
                    Invariant.ISOLATION,
                    event.what + (process == null ? "" : " of " + process)
                            + " is over, and an interrupt is left to whatever its thread does next");
        }
    }

    /** Wakes the parked fibers one after the other, to find that the world is over. */
    private void endAnother(Fiber me) {
        if (parked.isEmpty()) {
            me.becomeIdle();
            ended.countDown();
            return;
        }
        Parked next = parked.remove(parked.size() - 1);
        next.isWoken = true;
        me.becomeIdle();
        running = next.fiber;
        next.fiber.giveBaton();
    }
}
