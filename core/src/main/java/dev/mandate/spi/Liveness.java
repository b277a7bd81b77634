package dev.mandate.spi;

/**
 * What changes whenever the holder of a record renews its lease, and at no other time.
 *
 * <p>On stores that do not expire leases themselves, a challenger takes over after a full lease during which this did not
 * change. It differs from the {@link Basis} where another write (a proclaim, the leave flag) moves the basis without
 * renewing anything: such a write must not restart a challenger's wait. Implement it as a {@code record}; only {@code
 * equals} is used.
 */
public interface Liveness {}
