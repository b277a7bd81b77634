/**
 * Elections in Consul: keys locked by sessions, over HTTP.
 *
 * <p>Consul frees what a vanished holder held after <em>twice</em> its lease plus the lock-delay, and its locks bind only those who ask for
 * them: anybody with the right to write may overwrite a leader's key. See {@code docs/stores/consul.md}.
 */
@NullMarked
package dev.mandate.consul;

import org.jspecify.annotations.NullMarked;
