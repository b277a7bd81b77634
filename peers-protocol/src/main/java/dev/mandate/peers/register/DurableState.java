package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What a voter keeps when its process dies. Values are not in it: they die with the process.
 *
 * @param quarantineNanos the longest lease that may have been granted; 0 before the first start
 * @param ceiling all promises made are below it
 * @param complete whether {@code ceiling} certainly covers all promises; false after the file was missing, damaged or
 *     old, until the others were asked
 * @param covers the last start whose promises are included
 * @param attempts ids of starts since, and of earlier ones, that have not voted; the last {@value #ATTEMPTS_MAX}
 * @param founders the starts that had no ceiling when this voter found that nobody had one; else empty
 * @param known by the voters' places, the last start whose file was said to include all that this voter knew of it
 */
public record DurableState(
        long quarantineNanos,
        long ceiling,
        boolean complete,
        Start covers,
        List<Id> attempts,
        List<Id> founders,
        List<Start> known) {
    /** How many starts without a vote are remembered. After more, peers may take the file for an old copy. */
    public static final int ATTEMPTS_MAX = 16;

    private static final int VERSION = 1;
    private static final int BYTES_MAX = 1 << 14;

    public DurableState {
        attempts = List.copyOf(attempts);
        founders = List.copyOf(founders);
        known = List.copyOf(known);
        if (quarantineNanos < 0) {
            throw new IllegalArgumentException("quarantine is " + quarantineNanos + " ns, must be 0 or more");
        }
        if (ceiling < 0 || ceiling > Epoch.COUNTER_MAX) {
            throw new IllegalArgumentException("ceiling is " + ceiling + "; the bounds are 0 and " + Epoch.COUNTER_MAX);
        }
        if (attempts.size() > ATTEMPTS_MAX || founders.size() > Group.VOTERS_MAX || known.size() > Group.VOTERS_MAX) {
            throw new IllegalArgumentException("more attempts, founders or starts than there can be");
        }
    }

    /** The empty state of a voter that never started, or lost its file. */
    public static DurableState none(Group group) {
        return new DurableState(
                0, 0, false, Start.NONE, List.of(), List.of(), Collections.nCopies(group.voters(), Start.NONE));
    }

    DurableState withAttempt(Id attempt, long longestNanos) {
        List<Id> more = new ArrayList<>(attempts);
        more.add(attempt);
        List<Id> last = more.subList(Math.max(0, more.size() - ATTEMPTS_MAX), more.size());
        return new DurableState(longestNanos, ceiling, complete, covers, last, founders, known);
    }

    DurableState withCeiling(long newCeiling) {
        return new DurableState(quarantineNanos, newCeiling, complete, covers, attempts, founders, known);
    }

    DurableState withKnown(int voter, Start start) {
        List<Start> changed = new ArrayList<>(known);
        changed.set(voter, start);
        return new DurableState(quarantineNanos, ceiling, complete, covers, attempts, founders, changed);
    }

    /** Another voter remembers a start that this state does not include: the ceiling is only a lower bound. */
    DurableState contradicted(Start later, Id attempt) {
        return new DurableState(quarantineNanos, ceiling, false, later, List.of(attempt), List.of(), known);
    }

    /** For another list of voters, after all were stopped: places have a new meaning, the ceiling has not. */
    public DurableState inGroup(Group group) {
        DurableState none = none(group);
        return new DurableState(quarantineNanos, ceiling, complete, covers, attempts, List.of(), none.known);
    }

    /** As bytes, without a checksum. */
    public byte[] toBytes() {
        Wire.Out out =
                new Wire.Out(BYTES_MAX).put(VERSION).putLong(quarantineNanos).putLong(ceiling);
        return out.put(complete ? 1 : 0)
                .put(covers)
                .putIds(attempts)
                .putIds(founders)
                .putStarts(known)
                .toBytes();
    }

    /**
     * Reads what {@link #toBytes} wrote.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static DurableState read(byte[] bytes) {
        Wire.In in = new Wire.In(ByteBuffer.wrap(bytes));
        try {
            in.get(VERSION, "the version of a voter's file");
            DurableState state = new DurableState(
                    in.getLong(),
                    in.getLong(),
                    in.flag(),
                    in.start(),
                    in.ids(ATTEMPTS_MAX),
                    in.ids(Group.VOTERS_MAX),
                    in.starts());
            if (in.remaining() > 0) {
                throw new IllegalArgumentException(in.remaining() + " bytes follow the end of a voter's state");
            }
            return state;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("a voter's state ends too early", e);
        }
    }

    /** For the explorer. */
    void digest(LongConsumer digest) {
        digest.accept(ceiling * 2 + (complete ? 1 : 0));
        covers.digest(digest);
        attempts.forEach(id -> digest.accept(id.low()));
        known.forEach(start -> start.digest(digest));
    }
}
