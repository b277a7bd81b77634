package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a queue that {@link QueueAction.Follow} asked for. Each event names the {@code number} of its queue:
 * events of a queue that is no longer followed are dropped.
 */
public sealed interface QueueEvent {
    /** {@link QueueAction.Follow#number}. */
    long number();

    /** The watch below its prefix was opened, or broke. */
    record Watched(long number, boolean isOpen) implements QueueEvent {}

    /** The watch showed this. */
    record Hinted(long number, Observation seen) implements QueueEvent {}

    /** The watch may have missed something. */
    record Gap(long number) implements QueueEvent {}

    /** The page that {@link QueueAction.ListPage} {@code request} asked for. */
    record Listed(long number, long request, Page<Observation> page) implements QueueEvent {}

    /** That page will not come. {@code fault} says what must change before one can, if known. */
    record NotListed(long number, long request, @Nullable String fault) implements QueueEvent {}
}
