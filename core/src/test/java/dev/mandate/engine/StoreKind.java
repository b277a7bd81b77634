package dev.mandate.engine;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;

/** The four kinds of stores there are, by who judges a lease and by what a lease is attached to. */
enum StoreKind {
    /** etcd, Consul. */
    REMOVES_SESSION(Expiry.STORE_REMOVES, LeaseScope.SESSION),
    /** NATS, Azure Blob. */
    REMOVES_RECORD(Expiry.STORE_REMOVES, LeaseScope.RECORD),
    /** SQL. */
    JUDGES_SESSION(Expiry.OBSERVER_JUDGES, LeaseScope.SESSION),
    /** A Kubernetes Lease, an object store. */
    JUDGES_RECORD(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD);

    private final Expiry expiry;
    private final LeaseScope scope;

    StoreKind(Expiry expiry, LeaseScope scope) {
        this.expiry = expiry;
        this.scope = scope;
    }

    StoreTraits traits() {
        return StoreTraits.of(name(), expiry, scope);
    }

    boolean sharesSession() {
        return scope == LeaseScope.SESSION;
    }
}
