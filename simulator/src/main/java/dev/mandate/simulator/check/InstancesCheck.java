package dev.mandate.simulator.check;

import dev.mandate.spi.Liveness;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether those who follow a service know who is there: never a false blank, and in the end the whole truth. */
public final class InstancesCheck {
    private final boolean isJudged;
    private final long leaseMinNanos;
    private final Judge judge;
    private final Map<String, Steady> steady = new HashMap<>();
    private Map<String, String> expected = Map.of();
    private long changedAt = Long.MIN_VALUE;
    private String wrong = "";

    /** Since when an instance has been there without a break. True time. */
    private static final class Steady {
        private long sinceNanos;
        private long aliveNanos;
        private @Nullable Liveness liveness;
    }

    /**
     * Nothing was seen.
     *
     * @param isJudged whether observers judge: then an instance is there while it renews in time
     * @param leaseMinNanos the shortest lease that a record may have
     */
    public InstancesCheck(boolean isJudged, long leaseMinNanos, Judge judge) {
        this.isJudged = isJudged;
        this.leaseMinNanos = leaseMinNanos;
        this.judge = judge;
    }

    /** This is what the store has for {@code id} now; null for nothing. */
    public void stands(String id, @Nullable Liveness liveness, long now) {
        if (liveness == null) {
            steady.remove(id);
            return;
        }
        Steady seen = steady.computeIfAbsent(id, k -> {
            Steady begun = new Steady();
            begun.sinceNanos = now;
            begun.aliveNanos = now;
            return begun;
        });
        if (!liveness.equals(seen.liveness)) {
            if (isJudged && now - seen.aliveNanos > leaseMinNanos / 2) {
                seen.sinceNanos = now;
            }
            seen.liveness = liveness;
            seen.aliveNanos = now;
        }
    }

    /** The list of {@code who} turns empty, with no word that these are gone but that of listings, the last but one of which began at {@code from}. */
    public void blank(String who, Set<String> listed, long from, long now) {
        for (String id : listed) {
            Steady seen = steady.get(id);
            boolean isAlive = seen != null && (!isJudged || now - seen.aliveNanos <= leaseMinNanos / 2);
            if (seen != null && isAlive && seen.sinceNanos < from) {
                judge.violated(
                        Invariant.BLANK,
                        who + " is told that nobody is there, and instance " + id + " is, all the time");
            }
        }
    }

    /** Changes that cannot be applied. */
    public void broken(String how) {
        judge.violated(Invariant.CHANGES, how);
    }

    /** All faults are healed: whether {@code told} is what is to be listed. */
    public boolean isRight(String who, @Nullable Map<String, String> told, Map<String, String> truth) {
        boolean isRight = truth.equals(told);
        if (!isRight) {
            wrong = who + " lists " + told + " instead of " + truth;
        }
        return isRight;
    }

    /**
     * All faults were healed at {@code healedAt}.
     *
     * @param truth what is to be listed now
     * @param isRight whether everybody lists that
     * @param boundNanos how long that may take after the healing, and after what is to be listed has changed
     */
    public void healed(Map<String, String> truth, boolean isRight, long healedAt, long boundNanos, long now) {
        if (!truth.equals(expected)) {
            expected = truth;
            changedAt = now;
        }
        if (!isRight && now - Math.max(healedAt, changedAt) > boundNanos) {
            judge.violated(Invariant.INSTANCES, wrong);
        }
    }
}
