/** Elections between the instances themselves, without a store: a majority of them keeps the leader's record. */
@NullMarked
package dev.mandate.peers;

import org.jspecify.annotations.NullMarked;
