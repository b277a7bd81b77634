package dev.mandate.jdbc;

import dev.mandate.spi.Basis;

/**
 * A held key: the version of its row and the session that keeps it. The session's version is not included, because a
 * renewal must not invalidate the holder's basis.
 */
record HeldAt(long version, String session) implements Basis {}
