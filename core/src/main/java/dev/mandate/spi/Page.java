package dev.mandate.spi;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One bounded part of a listing.
 *
 * @param items at most a few hundred
 * @param after where the next page starts; null if this was the last
 */
public record Page<T>(List<T> items, @Nullable Cursor after) {
    public Page {
        items = List.copyOf(items);
    }

    /** Where the next page starts; empty if this was the last. */
    public Optional<Cursor> next() {
        return Optional.ofNullable(after);
    }
}
