package dev.mandate.consul;

import dev.mandate.spi.Basis;

/** A key that nobody had locked when it was last changed, or, at index 0, no key at all. */
record FreeAt(long index) implements Basis {
    /** There is no key. */
    static final FreeAt NOWHERE = new FreeAt(0);
}
