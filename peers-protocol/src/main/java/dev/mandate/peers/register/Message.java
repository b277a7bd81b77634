package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What proposals and voters, and voters among themselves, tell each other. Any of it may be lost, late, duplicated or
 * out of order.
 */
public sealed interface Message {

    /** The random id of the call, or of the start that asks. A node uses it to route answers. */
    Id call();

    /** Of a proposal, to a voter. */
    sealed interface Request extends Message {}

    /** Of a voter, to a proposal. */
    sealed interface Answer extends Message {}

    /**
     * Asks what was accepted; promises nothing.
     *
     * @param round tells the second look of a call from the first
     */
    record Look(Id call, int round, RecordKey key) implements Request {}

    /**
     * Answers a {@link Look}.
     *
     * @param vote null for none
     * @param promised the highest counter promised for that key
     */
    record Shown(Id call, int round, @Nullable Vote vote, long promised) implements Answer {}

    /** Asks for a promise to accept nothing below {@code epoch}. */
    record Prepare(RecordKey key, Epoch epoch) implements Request {
        @Override
        public Id call() {
            return epoch.id();
        }
    }

    /**
     * The promise.
     *
     * @param start the voter's start
     * @param known by the voters' places, the starts this voter knows; {@link Start#NONE} for none
     * @param vote what it accepted last, null for none
     * @param ageNanos how long ago that value was first accepted, as far as the voter knows; 0 for none
     */
    record Promise(
            Epoch epoch,
            Start start,
            List<Start> known,
            @Nullable Vote vote,
            long ageNanos) implements Answer {
        public Promise {
            known = List.copyOf(known);
        }

        @Override
        public Id call() {
            return epoch.id();
        }
    }

    /**
     * Asks to accept a value in an epoch that a majority promised.
     *
     * @param ageNanos how long ago the value was first accepted; 0 for a new one
     */
    record Accept(RecordKey key, Epoch epoch, Value value, long ageNanos) implements Request {
        /** The same for a new value. */
        public Accept(RecordKey key, Epoch epoch, Value value) {
            this(key, epoch, value, 0);
        }

        @Override
        public Id call() {
            return epoch.id();
        }
    }

    /** The voter accepted. */
    record Accepted(Epoch epoch) implements Answer {
        @Override
        public Id call() {
            return epoch.id();
        }
    }

    /** Why a voter neither promised nor accepted. */
    enum Reason {
        /** It promised an equal or higher counter. */
        PROMISED,
        /** The lease is longer than its quarantine. */
        LEASE,
        /** It holds as many keys as it may. */
        FULL
    }

    /**
     * The voter refused, and will never accept in that epoch.
     *
     * @param promised the highest counter promised for that key
     */
    record Refusal(Epoch epoch, Reason reason, long promised) implements Answer {
        @Override
        public Id call() {
            return epoch.id();
        }
    }

    /**
     * Asks for a page of what was accepted.
     *
     * @param after the path after which the page starts; empty for the beginning
     * @param limit the most keys on the page, 1 to {@link KeyTable#PAGE_MAX}
     */
    record ListKeys(Id call, RecordKey prefix, String after, int limit) implements Request {}

    /**
     * A page in the order of paths.
     *
     * @param after as asked
     * @param isLast whether nothing follows
     */
    record Listed(Id call, String after, List<At> votes, boolean isLast) implements Answer {
        public Listed {
            votes = List.copyOf(votes);
        }

        /** A key and its last accepted vote. */
        public record At(RecordKey key, Vote vote) {}
    }

    /** Asks a voter for its status; answered in every phase. */
    record AskStatus(Id call) implements Request {}

    /**
     * The status of a voter, for people.
     *
     * @param phase what it does
     * @param ceiling all its promises are below it
     * @param quarantineNanos the longest lease that it accepts
     * @param quarantineLeftNanos how long a lease that an earlier start accepted may still run; 0 for none
     * @param keys for how many keys it holds something
     * @param links the members it is connected to: bit n for place n; added by its node
     * @param disagrees whether it answers nothing else, because it saw another list of members, another longest lease,
     *     or a second process that is the same member; added by its node
     */
    record Status(
            Id call,
            VoterStatus.Phase phase,
            long ceiling,
            long quarantineNanos,
            long quarantineLeftNanos,
            int keys,
            long links,
            boolean disagrees)
            implements Answer {
        /** Adds what a voter does not know. */
        public Status in(long links, boolean disagrees) {
            return new Status(call, phase, ceiling, quarantineNanos, quarantineLeftNanos, keys, links, disagrees);
        }

        /** Whether it is connected to the member at {@code place}. */
        public boolean isLinkedTo(int place) {
            return (links & 1L << place) != 0;
        }
    }

    /**
     * A voter announces that it started.
     *
     * @param voter its place
     * @param start its start
     * @param covers the start up to which its file includes its promises
     * @param attempts ids of starts since, and of earlier ones, that are in the file, too; only this one may have voted
     */
    record Join(int voter, Start start, Start covers, List<Id> attempts) implements Message {
        public Join {
            attempts = List.copyOf(attempts);
        }

        @Override
        public Id call() {
            return start.id();
        }
    }

    /** What a voter knows of its own promises. */
    enum Ceiling {
        /** Its file was missing, damaged or old, and it has not learnt its ceiling yet. */
        NONE,
        /** It has a file, which may still turn out to be old. */
        UNCONFIRMED,
        /** It votes. */
        CONFIRMED
    }

    /**
     * Answers a {@link Join}.
     *
     * @param voter the answering voter
     * @param start the start that is answered
     * @param own the start of the answering voter
     * @param known the start of the asking voter that the answering one remembers. If it isn't {@code start}, the
     *     asking voter's file is old
     * @param ceiling how much {@code height} is worth
     * @param height all promises of the answering voter are below it
     * @param founders the starts by which the group had no ceiling when it answered this voter; empty if it had one
     * @param starts by the voters' places, all starts that the answering voter knows
     */
    record Welcome(
            int voter,
            Start start,
            Start own,
            Start known,
            Ceiling ceiling,
            long height,
            List<Id> founders,
            List<Start> starts)
            implements Message {
        public Welcome {
            founders = List.copyOf(founders);
            starts = List.copyOf(starts);
        }

        @Override
        public Id call() {
            return start.id();
        }
    }
}
