package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/** The state of one election's machine. Each role holds only what is true in it. */
public sealed interface Role {
    /** Neither campaigns nor watches. */
    record Idle() implements Role {
        static final Idle INSTANCE = new Idle();
    }

    /** Watches, and takes a vacancy if it campaigns. */
    record Following() implements Role {
        static final Following INSTANCE = new Following();
    }

    /** Has tried to acquire and awaits the answer. */
    record Acquiring(Id attempt) implements Role {}

    /**
     * Has tried to acquire and does not know the outcome.
     *
     * @param refused whether it was refused without showing the record: either an earlier copy of the request has won,
     *     or the attempt is dead. Assumes that of several copies the answered one lands last
     */
    record Doubting(Id attempt, boolean refused) implements Role {}

    /** Holds the record, but does not announce itself before {@code untilNanos}. */
    record Settling(Observation.Held held, Term term, long untilNanos) implements Role {
        Settling with(Observation.Held newer) {
            return new Settling(newer, term, untilNanos);
        }
    }

    /** Leads. */
    record Leading(Observation.Held held, Term term) implements Role {
        Leading with(Observation.Held newer) {
            return new Leading(newer, term);
        }
    }

    /**
     * A term, or an attempt that never became one, is over; its work is being stopped and its record released.
     *
     * @param held our record as last seen; null once it is known to be gone
     * @param term null if no term was announced
     * @param overrunAtNanos when work that still runs is an overrun
     */
    record Stopping(
            Observation.@Nullable Held held, @Nullable Term term, EndReason reason, long overrunAtNanos)
            implements Role {
        Stopping with(Observation.@Nullable Held newer) {
            return new Stopping(newer, term, reason, overrunAtNanos);
        }
    }
}
