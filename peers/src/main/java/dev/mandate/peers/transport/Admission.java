package dev.mandate.peers.transport;

import java.util.Optional;

/** Decides about a process that has proved that it knows the secret. Must not block. */
@FunctionalInterface
interface Admission {
    /** Why to refuse it; empty if it is welcome. */
    Optional<Refusal> judge(Introduction theirs);
}
