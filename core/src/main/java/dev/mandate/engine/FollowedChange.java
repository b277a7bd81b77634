package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one followed record: it appeared, changed, or is gone.
 *
 * @param key its key
 * @param before what was reported before; null if it appeared
 * @param after what it says now; null if it is gone
 * @param silence if its holder is gone, how long that had been silent; {@link Silence#UNSEEN} if no renewal of its term
 *     was ever seen, as where the store does not show renewals
 */
public record FollowedChange<T>(
        RecordKey key, @Nullable T before, @Nullable T after, Silence silence) {}
