package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What became of one followed record: it appeared, it says something else, or it is gone.
 *
 * @param key where it stands
 * @param before what was told of it before; null if it appeared
 * @param after what it says now; null if it is gone
 * @param silence if its holder has gone, how long that had been silent; {@link Silence#UNSEEN} if no renewal of its
 *     term was ever seen, as where the store does not show renewals
 */
public record FollowedChange<T>(
        RecordKey key, @Nullable T before, @Nullable T after, Silence silence) {}
