package dev.mandate.consul;

import dev.mandate.spi.Basis;

/** A key that was locked when last changed. */
record LockedAt(long index, String session) implements Basis {}
