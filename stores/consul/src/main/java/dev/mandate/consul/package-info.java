/**
 * Elections in Consul: keys locked by sessions, over HTTP.
 *
 * <p>{@code ConsulElectionStore} has the calls, {@code Records} their keys and values, {@code ConsulHttp} sends them,
 * {@code BlockingQuery} waits for changes, and {@code Fault} has the error messages.
 *
 * <p>Consul frees a vanished holder's locks after <em>twice</em> its lease plus the lock-delay. Locks
 * bind only programs that ask for them: anyone with the right to write may overwrite a leader's key.
 * See {@code docs/stores/consul.md}.
 */
@NullMarked
package dev.mandate.consul;

import org.jspecify.annotations.NullMarked;
