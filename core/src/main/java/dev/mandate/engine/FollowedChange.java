package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What became of one followed record: it appeared, it says something else, or it is gone.
 *
 * @param key where it stands
 * @param before what was told of it before; null if it appeared
 * @param after what it says now; null if it is gone
 */
public record FollowedChange<T>(
        RecordKey key, @Nullable T before, @Nullable T after) {}
