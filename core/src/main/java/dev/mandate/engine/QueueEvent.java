package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a queue that {@link QueueAction.Follow} asked for. One that belongs to a queue that is not followed
 * any more is dropped, so each names the {@code number} of what it answers.
 */
public sealed interface QueueEvent {
    /** {@link QueueAction.Follow#number}. */
    long number();

    /** The watch below its prefix has been opened, or has broken. */
    record Watched(long number, boolean isOpen) implements QueueEvent {}

    /** The watch showed this. */
    record Hinted(long number, Observation seen) implements QueueEvent {}

    /** The watch may have missed something. */
    record Gap(long number) implements QueueEvent {}

    /** The page that {@link QueueAction.ListPage} {@code request} asked for. */
    record Listed(long number, long request, Page<Observation> page) implements QueueEvent {}

    /** That page will not come; {@code fault} says what has to be changed before one can, if that is known. */
    record NotListed(long number, long request, @Nullable String fault) implements QueueEvent {}
}
