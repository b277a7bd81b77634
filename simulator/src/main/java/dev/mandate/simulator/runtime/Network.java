package dev.mandate.simulator.runtime;

import dev.mandate.StoreSetupException;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.spi.Hint;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Carries requests, answers and hints; it loses, delays, duplicates and reorders them. */
final class Network {
    private final RuntimeWorld world;
    private final RuntimeKnobs knobs;
    private final SplittableRandom random;
    boolean isOut;
    private boolean isHealed;
    private long delayMax;
    /** The true time at which the last message sent so far arrives. */
    long lastArrival;

    Network(RuntimeWorld world) {
        this.world = world;
        this.knobs = world.knobs;
        this.random = world.random;
        this.delayMax = knobs.delayMax;
    }

    void heal() {
        isOut = false;
        isHealed = true;
        delayMax = Math.min(delayMax, knobs.timing.requestTimeoutNanos() / 4);
    }

    private boolean chance(double p, Hazard hazard) {
        boolean happens = p > 0 && !isHealed && random.nextDouble() < p;
        if (happens) {
            world.fired(hazard);
        }
        return happens;
    }

    private long delay() {
        long delay = RuntimeKnobs.MILLI / 10 + (long) (random.nextDouble() * delayMax);
        if (knobs.slowMean > 0 && !isHealed) {
            long slow = (long) (-Math.log(1 - random.nextDouble()) * knobs.slowMean);
            if (slow > knobs.delayMax) {
                world.fired(Hazard.SLOW);
            }
            delay += slow;
        }
        return delay;
    }

    private long arrival(long delay) {
        long at = world.now() + delay;
        lastArrival = Math.max(lastArrival, at);
        return at;
    }

    /**
     * Sends a request from a process; its answer may come back or not.
     *
     * @param isRenewal whether {@code operation} only renews
     */
    <T> CompletableFuture<T> request(Process from, String what, boolean isRenewal, Supplier<T> operation) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        boolean isLost = isOut || from.isCutOut;
        if (isLost && knobs.refusesCalls) {
            world.fired(Hazard.CALL_REFUSED);
            fail(from, what, answer);
            return answer;
        }
        isLost |= chance(knobs.requestLoss, Hazard.REQUEST_LOST);
        if (chance(knobs.failFast, Hazard.CALL_FAILED)) {
            fail(from, what, answer);
            // It may take effect all the same.
            isLost |= random.nextBoolean();
        }
        if (isLost) {
            return answer;
        }
        long delay = delay();
        if (chance(knobs.late, Hazard.REQUEST_LATE)) {
            delay += random.nextLong(2 * knobs.leaseNanos());
        }
        int epoch = from.epoch;
        world.put(arrival(delay), null, what, () -> arrive(from, epoch, what, isRenewal, operation, answer));
        // Where all vacancies look the same, a duplicate acquire is a second acquire.
        boolean isSafe = knobs.options.vacantBasis() == ModelOptions.VacantBasis.RISING || !what.equals("acquire");
        if (isSafe && chance(knobs.doubled, Hazard.REQUEST_DOUBLED)) {
            world.put(
                    arrival(delay + random.nextLong(knobs.leaseNanos() / 4)),
                    null,
                    what,
                    () -> world.server.execute(isRenewal, operation));
        }
        return answer;
    }

    private void fail(Process from, String what, CompletableFuture<?> answer) {
        world.put(arrival(delay()), from, world.name("failure of ", what), () -> {
            answer.completeExceptionally(new IllegalStateException("the connection was lost"));
        });
    }

    private <T> void arrive(
            Process from,
            int epoch,
            String what,
            boolean isRenewal,
            Supplier<T> operation,
            CompletableFuture<T> answer) {
        if (from.isRefused && from.epoch == epoch) {
            world.put(arrival(delay()), from, world.name("refusal of ", what), () -> {
                answer.completeExceptionally(new StoreSetupException("not permitted"));
            });
            return;
        }
        T result = world.server.execute(isRenewal, operation);
        world.note(() -> "  server: " + what + " of " + from + " -> " + result);
        if (isOut || from.isCutIn || from.epoch != epoch || chance(knobs.answerLoss, Hazard.ANSWER_LOST)) {
            return;
        }
        world.put(arrival(delay()), from, world.name("answer to ", what), () -> answer.complete(result));
    }

    /** Sends a hint to all watchers. */
    void hint(Hint hint) {
        if (isOut) {
            return;
        }
        for (Process process : world.processes) {
            if (process.isUp && !process.isCutIn && !process.isCutOut && !chance(knobs.hintLoss, Hazard.HINT_LOST)) {
                long delay = delay();
                if (chance(knobs.hintLate, Hazard.HINT_LATE)) {
                    delay += random.nextLong(2 * knobs.leaseNanos());
                }
                world.put(
                        arrival(delay),
                        process,
                        "hint",
                        () -> process.connection().hint(hint));
            }
        }
    }

    /** Whether a store's method throws before it sends anything. */
    boolean throwsAtOnce() {
        return chance(knobs.failFast / 4, Hazard.METHOD_THREW);
    }

    /** For methods whose answer has no value. */
    static <T> Function<T, Void> nothing() {
        return ignored -> null;
    }
}
