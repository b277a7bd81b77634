package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What became of one followed record: it appeared, it says something else, or it is gone.
 *
 * @param key where it stands
 * @param before what was told of it before; null if it appeared
 * @param after what it says now; null if it is gone
 * @param silentNanos if its holder has gone, how long that had given no sign of life when this was seen. {@link
 *     #UNSEEN} if no renewal of its term was ever seen, as where the store does not show renewals
 */
public record FollowedChange<T>(
        RecordKey key, @Nullable T before, @Nullable T after, long silentNanos) {
    /** No renewal was seen. */
    public static final long UNSEEN = -1;
}
