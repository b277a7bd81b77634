package dev.mandate.simulator.world;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import java.util.Locale;

/** The four kinds of store: who decides that a lease is over, and what a lease is attached to. */
public enum StoreKind {
    /** etcd, Consul. */
    REMOVES_SESSION(Expiry.STORE_REMOVES, LeaseScope.SESSION),
    /** NATS, Azure Blob. */
    REMOVES_RECORD(Expiry.STORE_REMOVES, LeaseScope.RECORD),
    /** SQL. */
    JUDGES_SESSION(Expiry.OBSERVER_JUDGES, LeaseScope.SESSION),
    /** A group without a store; a Kubernetes Lease, an object in S3. */
    JUDGES_RECORD(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD);

    private final Expiry expiry;
    private final LeaseScope scope;

    StoreKind(Expiry expiry, LeaseScope scope) {
        this.expiry = expiry;
        this.scope = scope;
    }

    /** Who decides that a lease is over. */
    public Expiry expiry() {
        return expiry;
    }

    /** What a lease is attached to. */
    public LeaseScope scope() {
        return scope;
    }

    /** Whether observers judge. */
    public boolean isJudged() {
        return expiry == Expiry.OBSERVER_JUDGES;
    }

    /** Whether a session keeps the lease. */
    public boolean isBySession() {
        return scope == LeaseScope.SESSION;
    }

    /** The name on the command line: {@code removes-session}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Reads {@link #text()}.
     *
     * @throws IllegalArgumentException that names all kinds
     */
    public static StoreKind parse(String text) {
        for (StoreKind kind : values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("expiry kind '" + text
                + "' is unknown; there are removes-session, removes-record, judges-session and judges-record");
    }

    /** The kind of store for a seed, unless another kind is requested. */
    public static StoreKind ofSeed(long seed) {
        return values()[(int) Math.floorMod(seed, 4L)];
    }
}
