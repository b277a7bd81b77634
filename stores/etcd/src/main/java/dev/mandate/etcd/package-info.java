/**
 * Elections in etcd.
 *
 * <p>{@code EtcdElectionStore} has the calls, {@code Layout} their keys and transactions, {@code EtcdConnection} sends
 * them, {@code AuthToken} logs in, and {@code Fault} has the error messages.
 *
 * <p>What is <em>not</em> promised: after a restart of the cluster or a change of its leader, every lease starts again
 * at full length, so a dead leader's records are freed that much later, never earlier. A cluster restored from a
 * snapshot may give a token twice. Nothing here limits what other programs believe that write to the same keys.
 */
@NullMarked
package dev.mandate.etcd;

import org.jspecify.annotations.NullMarked;
