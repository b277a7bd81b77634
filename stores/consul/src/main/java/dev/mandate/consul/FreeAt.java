package dev.mandate.consul;

import dev.mandate.spi.Basis;

/** A key that was unlocked when last changed or, at index 0, a missing key. */
record FreeAt(long index) implements Basis {
    /** There is no key. */
    static final FreeAt NOWHERE = new FreeAt(0);
}
