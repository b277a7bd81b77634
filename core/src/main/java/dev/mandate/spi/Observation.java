package dev.mandate.spi;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a read, a refusal or a hint showed at one key: {@link Vacant} or {@link Held}, with the {@link Basis} that the
 * next write is conditional on. Immutable. Made through the factories here, so that members can be added.
 */
public sealed interface Observation permits Observation.Vacant, Observation.Held {

    /** The key that was read. */
    RecordKey key();

    /** The version that was seen; the next write is conditional on it. */
    Basis basis();

    /** Nobody holds the key; a first write is conditional on {@code basis}. */
    static Vacant vacant(RecordKey key, Basis basis) {
        return new Vacant(key, basis);
    }

    /**
     * The key holds a Mandate record.
     *
     * @param liveness changes with every renewal and with nothing else; pass {@code basis} itself, if it implements
     *     {@link Liveness}, where every change of the basis is a renewal or where the store expires leases itself
     * @param revision the fencing token the store gives a record that does not contain its term; positive
     */
    static Held held(RecordKey key, Basis basis, Liveness liveness, long revision, LeaderRecord record) {
        return new Held(key, basis, liveness, revision, record, null, null);
    }

    /**
     * The key holds something that Mandate did not write: another program's candidate.
     *
     * @param shown what to show people as the leader's name; untrusted text
     * @param lease that holder's lease, if the store can tell
     */
    static Held foreign(
            RecordKey key, Basis basis, Liveness liveness, long revision, String shown, @Nullable Duration lease) {
        return new Held(key, basis, liveness, revision, null, shown, lease);
    }

    /** Nobody holds the key. */
    final class Vacant implements Observation {
        private final RecordKey key;
        private final Basis basis;

        private Vacant(RecordKey key, Basis basis) {
            this.key = key;
            this.basis = basis;
        }

        @Override
        public RecordKey key() {
            return key;
        }

        @Override
        public Basis basis() {
            return basis;
        }

        @Override
        public String toString() {
            return "vacant at " + basis;
        }
    }

    /** Somebody holds the key or, where observers judge, last held it: one read cannot tell dead from alive. */
    final class Held implements Observation {
        private final RecordKey key;
        private final Basis basis;
        private final Liveness liveness;
        private final long revision;
        private final @Nullable LeaderRecord record;
        private final @Nullable String foreign;
        private final @Nullable Duration foreignLease;

        private Held(
                RecordKey key,
                Basis basis,
                Liveness liveness,
                long revision,
                @Nullable LeaderRecord record,
                @Nullable String foreign,
                @Nullable Duration foreignLease) {
            this.key = key;
            this.basis = basis;
            this.liveness = liveness;
            this.revision = revision;
            this.record = record;
            this.foreign = foreign;
            this.foreignLease = foreignLease;
        }

        @Override
        public RecordKey key() {
            return key;
        }

        @Override
        public Basis basis() {
            return basis;
        }

        /** Changes with every renewal of this holder and with nothing else. */
        public Liveness liveness() {
            return liveness;
        }

        /** Whether another program wrote this record. Then {@link #record()} throws. */
        public boolean isForeign() {
            return record == null;
        }

        /**
         * The record.
         *
         * @throws IllegalStateException if it {@link #isForeign()}
         */
        public LeaderRecord record() {
            if (record == null) {
                throw new IllegalStateException("a foreign record has no fields of ours: " + shown());
            }
            return record;
        }

        /** Whether this is a Mandate record that carries {@code attempt}. */
        public boolean isAttempt(@Nullable Id attempt) {
            return record != null && record.attempt().equals(attempt);
        }

        /** The fencing token: the record's term, or its revision while it contains none. */
        public long term() {
            return record != null && record.term() != 0 ? record.term() : revision;
        }

        /** The holder's name for people. Untrusted text. */
        public String shown() {
            if (record != null) {
                return record.candidate();
            }
            return foreign == null ? "" : foreign;
        }

        /** The holder's lease, if known. Always known for a Mandate record. */
        public Optional<Duration> lease() {
            return record != null ? Optional.of(record.lease()) : Optional.ofNullable(foreignLease);
        }

        @Override
        public String toString() {
            return "held at " + basis + " by " + shown() + (record == null ? " (foreign)" : " term " + term());
        }
    }
}
