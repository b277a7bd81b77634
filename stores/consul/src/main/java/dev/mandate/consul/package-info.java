/**
 * Elections in Consul: keys locked by sessions, over HTTP.
 *
 * <p>Consul frees a vanished holder's locks after <em>twice</em> its lease plus the lock-delay. Locks
 * bind only programs that ask for them: anyone with the right to write may overwrite a leader's key.
 * See {@code docs/stores/consul.md}.
 */
@NullMarked
package dev.mandate.consul;

import org.jspecify.annotations.NullMarked;
