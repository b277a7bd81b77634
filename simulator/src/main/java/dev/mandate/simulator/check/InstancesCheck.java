package dev.mandate.simulator.check;

import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether followers of a service know its instances: the list is never falsely blank, and finally the whole truth. */
public final class InstancesCheck {
    private final boolean isJudged;
    private final boolean isVague;
    private final Judge judge;
    private final Map<String, Steady> steady = new HashMap<>();
    private Map<String, String> expected = Map.of();
    private long changedAt = Long.MIN_VALUE;
    private String wrong = "";

    /** Since when an instance has been there without a break, in true time. */
    private static final class Steady {
        private long sinceNanos;
        private long aliveNanos;
        private long leaseNanos;
        private @Nullable Liveness liveness;
    }

    /**
     * Nothing was seen yet.
     *
     * @param isJudged whether observers judge: then an instance is there while it renews in time
     * @param isVague whether listings may miss instances, because they page by position while records disappear
     */
    public InstancesCheck(boolean isJudged, boolean isVague, Judge judge) {
        this.isJudged = isJudged;
        this.isVague = isVague;
        this.judge = judge;
    }

    /** The store now holds this for {@code id}. */
    public void stands(String id, Observation now, long nowNanos) {
        if (!(now instanceof Observation.Held held)) {
            steady.remove(id);
            return;
        }
        Steady seen = steady.computeIfAbsent(id, k -> {
            Steady begun = new Steady();
            begun.sinceNanos = nowNanos;
            begun.aliveNanos = nowNanos;
            return begun;
        });
        seen.leaseNanos = held.lease().orElse(Duration.ZERO).toNanos();
        if (!held.liveness().equals(seen.liveness)) {
            if (isJudged && nowNanos - seen.aliveNanos > seen.leaseNanos / 2) {
                seen.sinceNanos = nowNanos;
            }
            seen.liveness = held.liveness();
            seen.aliveNanos = nowNanos;
        }
    }

    /** {@code who} asks to be registered as {@code value}; its last command was {@code said}. */
    public void registers(String who, String value, String said) {
        if (!value.equals(said)) {
            judge.violated(Invariant.INSTANCES, who + " registers as " + value + ", and is to say " + said);
        }
    }

    private boolean isThere(String id, long from, long now) {
        Steady seen = steady.get(id);
        return seen != null && seen.sinceNanos < from && (!isJudged || now - seen.aliveNanos <= seen.leaseNanos / 2);
    }

    /**
     * {@code who} is told that these are gone, without a hint that said so.
     *
     * @param isEmpty whether nobody is left
     * @param from when the last but one of the listings that show this began
     */
    public void gone(String who, Set<String> ids, boolean isEmpty, long from, long now) {
        for (String id : ids) {
            if (!isVague && isThere(id, from, now)) {
                judge.violated(
                        isEmpty ? Invariant.BLANK : Invariant.INSTANCES,
                        who + " is told that instance " + id + " is gone" + (isEmpty ? " and nobody is left" : "")
                                + ", and it is there all the time");
            }
        }
    }

    /** {@code who} is told that these are all but those that hints reported gone; the listing began at {@code from}. */
    public void whole(String who, Set<String> listed, Set<String> vacant, long from, long now) {
        for (String id : steady.keySet()) {
            if (!isVague && !listed.contains(id) && !vacant.contains(id) && isThere(id, from, now)) {
                judge.violated(Invariant.CHANGES, who + " is told a whole without instance " + id + ", which is there");
            }
        }
    }

    /** Changes cannot be applied. */
    public void broken(String how) {
        judge.violated(Invariant.CHANGES, how);
    }

    /** All faults are healed: whether {@code told} equals {@code truth}. */
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
     * @param truth what followers should list now
     * @param isRight whether they all list that
     * @param boundNanos how long that may take after the healing, and after {@code truth} changed
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
