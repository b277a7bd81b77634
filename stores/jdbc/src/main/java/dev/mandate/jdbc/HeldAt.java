package dev.mandate.jdbc;

import dev.mandate.spi.Basis;

/**
 * A held key: the version of its row and the session that keeps it. The version of the session is no part of it:
 * renewing must not invalidate what the holder knows.
 */
record HeldAt(long version, String session) implements Basis {}
