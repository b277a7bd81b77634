package dev.mandate.spi;

/**
 * Changes whenever the holder of a record renews its lease, and at no other time.
 *
 * <p>On stores that do not expire leases themselves, a challenger takes over when this has not changed for a full
 * lease. It differs from the {@link Basis} where another write (a proclaim, the leave flag) changes the basis
 * without renewing: such a write must not restart a challenger's wait. Implement it as a {@code record}; only
 * {@code equals} is used.
 */
public interface Liveness {}
