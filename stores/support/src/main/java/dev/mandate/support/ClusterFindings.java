package dev.mandate.support;

import dev.mandate.spi.Causes;
import dev.mandate.spi.Finding;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Findings of the doctor that stores on a cluster have in common. */
public final class ClusterFindings {
    /** The servers count leases. */
    public static final Finding CLOCK =
            Finding.ok("clock", "the cluster's leader counts leases on its own clock; wall clocks don't matter");

    private ClusterFindings() {}

    /**
     * How many servers may fail; an even number bears the loss of no more than one fewer.
     *
     * @param count how many have a vote, positive
     * @param one what one is called, like "member"
     */
    public static Finding size(int count, String one) {
        String size = count + " " + one + (count == 1 ? "" : "s") + ", of which " + (count - 1) / 2 + " may fail";
        return count == 2
                ? Finding.warning("cluster", size + ": worse than one alone; add a third")
                : Finding.ok("cluster", size);
    }

    /**
     * Whether the URL's one key could be written, which was tried by a write whose condition is never true.
     *
     * @param failure null if it could
     * @param right the right that a write takes; empty if not known
     */
    public static Finding onlyKey(KeyTemplate keys, @Nullable Throwable failure, Optional<String> right) {
        return failure == null
                ? Finding.ok("rights", "the key " + keys + " could be written, which was tried without writing it")
                : Finding.error(
                        "rights",
                        Causes.unwrapped(failure).getMessage()
                                + right.map(needed -> " (it takes: " + needed + ")")
                                        .orElse(""));
    }
}
