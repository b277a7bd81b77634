package dev.mandate.engine;

import java.util.function.LongSupplier;

/**
 * What all machines of one client share.
 *
 * @param retries one budget for everything that is tried sooner than usual
 * @param hints whether the watch over elections can be relied on
 * @param requests numbers requests, uniquely within the client
 */
record Shared(Entropy entropy, Retries retries, Hints hints, LongSupplier requests) {}
