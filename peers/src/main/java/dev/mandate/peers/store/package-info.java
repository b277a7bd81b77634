/** Elections between instances, as a store: {@code peers:}, {@code bully:} and {@code ring:}. */
@NullMarked
package dev.mandate.peers.store;

import org.jspecify.annotations.NullMarked;
