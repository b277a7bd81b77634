package dev.mandate.consul;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The answer to a transaction: its operations' results, or those that failed. If one failed, none took effect. */
record TxnReply(List<KvEntry> results, List<Failure> failures) {
    /** A failed operation, by its index in the transaction, and Consul's reason. */
    record Failure(int operation, String what) {
        boolean isMissingKey() {
            return what.endsWith("doesn't exist");
        }
    }

    boolean isDenied() {
        return failures.stream().anyMatch(f -> f.what().contains("Permission denied"));
    }

    /** Whether the lock is free but still in its lock-delay. */
    boolean isDelayed() {
        return failures.stream()
                .anyMatch(f -> f.what().contains("lock delay") || f.what().contains("lock-delay"));
    }

    /** The operations that failed because their key is missing. */
    Set<Integer> missing() {
        return missingFailures().map(Failure::operation).collect(Collectors.toSet());
    }

    boolean onlyMisses() {
        return !failures.isEmpty() && missingFailures().count() == failures.size();
    }

    private Stream<Failure> missingFailures() {
        return failures.stream().filter(Failure::isMissingKey);
    }

    /** The newest index of {@code path} in the results; 0 if it is not among them. */
    long indexOf(String path) {
        return results.stream()
                .filter(entry -> entry.path().equals(path))
                .mapToLong(KvEntry::modifyIndex)
                .max()
                .orElse(0);
    }
}
