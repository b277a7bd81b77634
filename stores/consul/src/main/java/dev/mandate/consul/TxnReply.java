package dev.mandate.consul;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The answer to a transaction: what its operations show, or which of them failed. If one failed, none took effect.
 */
record TxnReply(List<KvEntry> results, List<Failure> failures) {
    /** An operation, by its place in the transaction, and why it failed, in Consul's words. */
    record Failure(int operation, String what) {
        boolean isMissingKey() {
            return what.endsWith("doesn't exist");
        }
    }

    boolean isDenied() {
        return failures.stream().anyMatch(f -> f.what().contains("Permission denied"));
    }

    /** The lock is free, but Consul gives it to nobody yet. */
    boolean isDelayed() {
        return failures.stream()
                .anyMatch(f -> f.what().contains("lock delay") || f.what().contains("lock-delay"));
    }

    /** The operations that failed for want of their key. */
    Set<Integer> missing() {
        return missingFailures().map(Failure::operation).collect(Collectors.toSet());
    }

    boolean onlyMisses() {
        return !failures.isEmpty() && missingFailures().count() == failures.size();
    }

    private Stream<Failure> missingFailures() {
        return failures.stream().filter(Failure::isMissingKey);
    }

    /** The newest index at which {@code path} was shown; 0 if it was not. */
    long indexOf(String path) {
        return results.stream()
                .filter(entry -> entry.path().equals(path))
                .mapToLong(KvEntry::modifyIndex)
                .max()
                .orElse(0);
    }
}
