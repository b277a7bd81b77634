package dev.mandate;

import org.jspecify.annotations.Nullable;

/**
 * One difference between two views of all elections. Created by an {@link ElectionsWatch}; later versions may add
 * members, which changes the constructor.
 *
 * @param election the election's name
 * @param before who led it in the previous view; null if nobody did
 * @param after who leads it now; null if nobody does
 * @param end the last term that ended, if this change reports its end or its successor; null if unknown,
 *     or if no term ended
 */
public record ElectionChange(
        String election,
        @Nullable Leader before,
        @Nullable Leader after,
        @Nullable TermEnd end) {

    /** Whether a term began: {@code after} leads with another token than {@code before}, or nobody led before. */
    public boolean isTakeOver() {
        return after != null && (before == null || !before.token().equals(after.token()));
    }
}
