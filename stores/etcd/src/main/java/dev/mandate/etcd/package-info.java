/**
 * Elections in etcd.
 *
 * <p>What is <em>not</em> promised, first. After a restart of the cluster, or a change of its leader, every lease starts again with its full
 * length: a dead leader is freed that much later, never earlier. A cluster restored from a snapshot may give a token twice. What other programs
 * believe that write to the same keys is not bounded by anything here.
 */
@NullMarked
package dev.mandate.etcd;

import org.jspecify.annotations.NullMarked;
