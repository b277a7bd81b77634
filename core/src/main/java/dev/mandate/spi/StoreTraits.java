package dev.mandate.spi;

import dev.mandate.Guarantee;
import java.time.Duration;
import java.util.List;

/**
 * The properties of a store, in figures and words: everything the engine and {@code explain()} need to know about it.
 * Immutable; made with {@link #of} and the {@code with…} methods, so that members can be added.
 */
public final class StoreTraits {
    private final String name;
    private final Expiry expiry;
    private final LeaseScope leaseScope;
    private final Guarantee guarantee;
    private final Duration leaseMin;
    private final Duration leaseMax;
    private final Duration leaseStep;
    private final double expiryFactor;
    private final Duration expirySlack;
    private final Duration lockDelay;
    private final Duration reserve;
    private final Duration warmUp;
    private final boolean watches;
    private final boolean ordersTerms;
    private final boolean leavesVacant;
    private final int valueBytesMax;
    private final List<String> assumptions;

    private StoreTraits(Draft d) {
        this.name = d.name;
        this.expiry = d.expiry;
        this.leaseScope = d.leaseScope;
        this.guarantee = d.guarantee;
        this.leaseMin = d.leaseMin;
        this.leaseMax = d.leaseMax;
        this.leaseStep = d.leaseStep;
        this.expiryFactor = d.expiryFactor;
        this.expirySlack = d.expirySlack;
        this.lockDelay = d.lockDelay;
        this.reserve = d.reserve;
        this.warmUp = d.warmUp;
        this.watches = d.watches;
        this.ordersTerms = d.ordersTerms;
        this.leavesVacant = d.leavesVacant;
        this.valueBytesMax = d.valueBytesMax;
        this.assumptions = List.copyOf(d.assumptions);
    }

    /**
     * Default traits: leases from 1 s to 1 day in steps of 1 ms, freed on time, no lock-delay, no watch, terms that
     * compare only within a key, values up to 64 KiB, guarantee {@link Guarantee#LEASED}, no assumptions.
     *
     * @param name how messages call the store: {@code SQLite}, {@code etcd}
     */
    public static StoreTraits of(String name, Expiry expiry, LeaseScope leaseScope) {
        return new StoreTraits(new Draft(name, expiry, leaseScope));
    }

    /** The shortest and the longest lease that may be requested, and the step to which leases are rounded up. */
    public StoreTraits withLeaseBounds(Duration min, Duration max, Duration step) {
        Draft d = new Draft(this);
        d.leaseMin = min;
        d.leaseMax = max;
        d.leaseStep = step;
        return new StoreTraits(d);
    }

    /**
     * With {@link Expiry#STORE_REMOVES}: a key is free at most {@code factor} × lease + {@code slack}
     * after the last renewal.
     *
     * @throws IllegalArgumentException if {@code factor} is less than 1 or {@code slack} negative
     */
    public StoreTraits withExpiry(double factor, Duration slack) {
        if (!(factor >= 1.0) || slack.isNegative()) {
            throw new IllegalArgumentException("the expiry of " + name + " is " + factor + " leases and " + slack
                    + "; a store frees nothing earlier than the lease");
        }
        Draft d = new Draft(this);
        d.expiryFactor = factor;
        d.expirySlack = slack;
        return new StoreTraits(d);
    }

    /**
     * How long the store refuses all acquires after it freed a key whose holder vanished.
     *
     * @throws IllegalArgumentException if negative
     */
    public StoreTraits withLockDelay(Duration lockDelay) {
        if (lockDelay.isNegative()) {
            throw new IllegalArgumentException(
                    "the lock-delay of " + name + " is " + lockDelay + "; it must not be negative");
        }
        Draft d = new Draft(this);
        d.lockDelay = lockDelay;
        return new StoreTraits(d);
    }

    /**
     * How much less than the requested lease the store may grant, with {@link LeaseScope#RECORD}. If a request was not
     * answered but turns out to have landed, its client counts on the requested lease minus this. Every answer that
     * grants a lease states it.
     *
     * @throws IllegalArgumentException if negative
     */
    public StoreTraits withReserve(Duration reserve) {
        if (reserve.isNegative()) {
            throw new IllegalArgumentException(
                    "the reserve of " + name + " is " + reserve + "; it must not be negative");
        }
        Draft d = new Draft(this);
        d.reserve = reserve;
        return new StoreTraits(d);
    }

    /**
     * How long after its start a healthy store may be unable to answer. A client that opens waits that much longer for
     * the first good answer.
     *
     * @throws IllegalArgumentException if negative
     */
    public StoreTraits withWarmUp(Duration warmUp) {
        if (warmUp.isNegative()) {
            throw new IllegalArgumentException(
                    "the warm-up of " + name + " is " + warmUp + "; it must not be negative");
        }
        Draft d = new Draft(this);
        d.warmUp = warmUp;
        return new StoreTraits(d);
    }

    /** Whether {@link ElectionStore#watch} delivers anything. */
    public StoreTraits withWatch(boolean watches) {
        Draft d = new Draft(this);
        d.watches = watches;
        return new StoreTraits(d);
    }

    /**
     * Whether terms compare across keys: of two records of one space, whatever their keys, the one acquired later has
     * the larger term. True where the term is a revision of the whole store.
     */
    public StoreTraits withOrderedTerms(boolean ordersTerms) {
        Draft d = new Draft(this);
        d.ordersTerms = ordersTerms;
        return new StoreTraits(d);
    }

    /**
     * Whether a release leaves something that {@link ElectionStore#erase} removes: a row, an empty key. If it leaves
     * nothing, erase is never called. Default true.
     */
    public StoreTraits withLeftovers(boolean leavesVacant) {
        Draft d = new Draft(this);
        d.leavesVacant = leavesVacant;
        return new StoreTraits(d);
    }

    /**
     * The longest value in bytes of UTF-8; longer ones are refused before any call.
     *
     * @throws IllegalArgumentException if not positive
     */
    public StoreTraits withValueBytesMax(int valueBytesMax) {
        if (valueBytesMax <= 0) {
            throw new IllegalArgumentException(
                    "the longest value of " + name + " has " + valueBytesMax + " bytes; it must be more than 0");
        }
        Draft d = new Draft(this);
        d.valueBytesMax = valueBytesMax;
        return new StoreTraits(d);
    }

    /**
     * How much leadership from this store is worth. {@link Guarantee#FENCED} only where the store keeps every confirmed
     * write, even through a power failure.
     */
    public StoreTraits withGuarantee(Guarantee guarantee) {
        Draft d = new Draft(this);
        d.guarantee = guarantee;
        return new StoreTraits(d);
    }

    /** What must be true of the store for the promises to hold, one sentence each, for people. */
    public StoreTraits withAssumptions(String... assumptions) {
        Draft d = new Draft(this);
        d.assumptions = List.of(assumptions);
        return new StoreTraits(d);
    }

    /** How messages call the store. */
    public String name() {
        return name;
    }

    /** Who decides that a lease is over. */
    public Expiry expiry() {
        return expiry;
    }

    /** What a lease is attached to. */
    public LeaseScope leaseScope() {
        return leaseScope;
    }

    /** How much leadership from this store is worth. */
    public Guarantee guarantee() {
        return guarantee;
    }

    /** The shortest lease the store grants. */
    public Duration leaseMin() {
        return leaseMin;
    }

    /** The longest lease the store grants. */
    public Duration leaseMax() {
        return leaseMax;
    }

    /** Leases are whole multiples of this. */
    public Duration leaseStep() {
        return leaseStep;
    }

    /** See {@link #withExpiry}; 1.0 where the store is exact or observers judge. */
    public double expiryFactor() {
        return expiryFactor;
    }

    /** See {@link #withExpiry}. */
    public Duration expirySlack() {
        return expirySlack;
    }

    /** See {@link #withLockDelay}. */
    public Duration lockDelay() {
        return lockDelay;
    }

    /** See {@link #withReserve}. */
    public Duration reserve() {
        return reserve;
    }

    /** See {@link #withWarmUp}. */
    public Duration warmUp() {
        return warmUp;
    }

    /** Whether the store has a watch. */
    public boolean watches() {
        return watches;
    }

    /** See {@link #withOrderedTerms}. */
    public boolean ordersTerms() {
        return ordersTerms;
    }

    /** See {@link #withLeftovers}. */
    public boolean leavesVacant() {
        return leavesVacant;
    }

    /** The longest value in bytes of UTF-8. */
    public int valueBytesMax() {
        return valueBytesMax;
    }

    /** What must be true of the store for the promises to hold. */
    public List<String> assumptions() {
        return assumptions;
    }

    @Override
    public String toString() {
        return name + " (" + expiry + ", lease per " + leaseScope + ", " + guarantee + ")";
    }

    private static final class Draft {
        private final String name;
        private final Expiry expiry;
        private final LeaseScope leaseScope;
        private Guarantee guarantee = Guarantee.LEASED;
        private Duration leaseMin = Duration.ofSeconds(1);
        private Duration leaseMax = Duration.ofDays(1);
        private Duration leaseStep = Duration.ofMillis(1);
        private double expiryFactor = 1.0;
        private Duration expirySlack = Duration.ZERO;
        private Duration lockDelay = Duration.ZERO;
        private Duration reserve = Duration.ZERO;
        private Duration warmUp = Duration.ZERO;
        private boolean watches;
        private boolean ordersTerms;
        private boolean leavesVacant = true;
        private int valueBytesMax = 64 * 1024;
        private List<String> assumptions = List.of();

        Draft(String name, Expiry expiry, LeaseScope leaseScope) {
            this.name = name;
            this.expiry = expiry;
            this.leaseScope = leaseScope;
        }

        Draft(StoreTraits t) {
            this(t.name, t.expiry, t.leaseScope);
            this.guarantee = t.guarantee;
            this.leaseMin = t.leaseMin;
            this.leaseMax = t.leaseMax;
            this.leaseStep = t.leaseStep;
            this.expiryFactor = t.expiryFactor;
            this.expirySlack = t.expirySlack;
            this.lockDelay = t.lockDelay;
            this.reserve = t.reserve;
            this.warmUp = t.warmUp;
            this.watches = t.watches;
            this.ordersTerms = t.ordersTerms;
            this.leavesVacant = t.leavesVacant;
            this.valueBytesMax = t.valueBytesMax;
            this.assumptions = t.assumptions;
        }
    }
}
