package dev.mandate.spi;

/** What a lease is attached to. */
public enum LeaseScope {
    /** One session per client carries any number of records; renewing it renews them all. */
    SESSION,
    /** Each record is renewed on its own, by {@link ElectionStore#update} with {@link Intent#RENEW}. */
    RECORD
}
