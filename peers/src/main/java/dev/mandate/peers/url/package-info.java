/** The URLs of a group: {@code bully:}, {@code ring:} and {@code peers:}. */
@NullMarked
package dev.mandate.peers.url;

import org.jspecify.annotations.NullMarked;
