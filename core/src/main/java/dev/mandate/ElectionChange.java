package dev.mandate;

import org.jspecify.annotations.Nullable;

/**
 * One difference between two views of all elections. Comes from an {@link ElectionsWatch}: members may be added, which
 * changes the constructor.
 *
 * @param election the election's name
 * @param before who led it in the view before; null if nobody did
 * @param after who leads it now; null if nobody does
 * @param end the last term that ended, if this change tells of its end or of its successor; null if that is not known,
 *     or no term ended
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
