package dev.mandate.spi;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a conditional write. There is no third case: a write whose answer never came is a failed stage, and the
 * engine treats it as <em>unknown</em>.
 */
public sealed interface WriteOutcome permits WriteOutcome.Written, WriteOutcome.Refused {

    /** Done; did not prolong the lease. */
    static Written written(Observation now) {
        return new Written(now, null);
    }

    /**
     * Done, and the lease of this record starts anew.
     *
     * @param granted the lease that the store granted; the engine counts it from when the request was <em>sent</em>
     */
    static Written renewed(Observation now, Duration granted) {
        return new Written(now, granted);
    }

    /** Not done and never will be; {@code now} is the actual state. */
    static Refused refused(Observation now) {
        return new Refused(now, null);
    }

    /** Not done and never will be; the actual state is unknown. The engine reads it if needed. */
    static Refused refused() {
        return new Refused(null, null);
    }

    /** Not done and never will be; asking again before {@code retryAfter} is pointless (a lock-delay, a throttle). */
    static Refused refusedFor(Duration retryAfter, @Nullable Observation now) {
        return new Refused(now, retryAfter);
    }

    /** An erase with nothing to remove: written if {@code now} is vacant at the same basis, else refused. */
    static WriteOutcome compared(Observation.Vacant basis, Observation now) {
        return now instanceof Observation.Vacant && now.basis().equals(basis.basis()) ? written(now) : refused(now);
    }

    /** The write took effect. */
    final class Written implements WriteOutcome {
        private final Observation now;
        private final @Nullable Duration granted;

        private Written(Observation now, @Nullable Duration granted) {
            this.now = now;
            this.granted = granted;
        }

        /**
         * The state after the write: {@code Held} after an acquire or update, {@code Vacant} after a release or erase.
         */
        public Observation now() {
            return now;
        }

        /** The lease granted by this write; empty if the write renewed nothing. */
        public Optional<Duration> granted() {
            return Optional.ofNullable(granted);
        }

        @Override
        public String toString() {
            return "written: " + now + (granted == null ? "" : ", granted " + granted);
        }
    }

    /** The write did not take effect and never will. */
    final class Refused implements WriteOutcome {
        private final @Nullable Observation now;
        private final @Nullable Duration retryAfter;

        private Refused(@Nullable Observation now, @Nullable Duration retryAfter) {
            this.now = now;
            this.retryAfter = retryAfter;
        }

        /** The actual state, if the refusal showed it. */
        public Optional<Observation> now() {
            return Optional.ofNullable(now);
        }

        /** How long asking again is pointless; empty if there is no need to wait. */
        public Optional<Duration> retryAfter() {
            return Optional.ofNullable(retryAfter);
        }

        @Override
        public String toString() {
            return "refused: " + (now == null ? "not known" : now.toString());
        }
    }
}
