package dev.mandate.peers.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of bytes into frames. It keeps only the bytes of an incomplete frame, and reserves at most twice as
 * many as arrived (and at least 64), whatever length the frame claims. Pure; not safe for use from many threads.
 */
final class FrameDecoder {
    /** The length that precedes each frame. */
    static final int HEADER = 4;

    private static final int PART_MIN = 64;

    private final int lengthMax;
    private final Budget budget;
    private byte @Nullable [] part;
    private int filled;

    /**
     * A decoder at the beginning of a frame.
     *
     * @param lengthMax the longest frame in bytes, without the header
     * @param budget for partial frames, here and in other decoders that share it
     */
    FrameDecoder(int lengthMax, Budget budget) {
        this.lengthMax = lengthMax;
        this.budget = budget;
    }

    /**
     * The next frame, without its length; null if {@code in} was taken whole without completing one.
     *
     * @return valid until {@code in} or this decoder is used again; at least one byte
     * @throws FrameException if the frame is empty or too long, or the budget is used up; the stream is then unusable
     */
    @Nullable
    ByteBuffer next(ByteBuffer in) throws FrameException {
        if (filled == 0 && in.remaining() >= HEADER) {
            int length = checked(in.getInt(in.position()));
            if (in.remaining() >= HEADER + length) {
                ByteBuffer frame = in.slice(in.position() + HEADER, length);
                in.position(in.position() + HEADER + length);
                return frame;
            }
        }
        fill(in, HEADER);
        if (filled < HEADER) {
            return null;
        }
        int whole = HEADER + checked(ByteBuffer.wrap(held()).getInt(0));
        fill(in, whole);
        if (filled < whole) {
            return null;
        }
        ByteBuffer frame = ByteBuffer.wrap(held(), HEADER, whole - HEADER).slice();
        release();
        return frame;
    }

    /** How many bytes it has reserved. */
    int reserved() {
        return part == null ? 0 : part.length;
    }

    /** Drops what it keeps: the stream ended. */
    void release() {
        budget.giveBack(reserved());
        part = null;
        filled = 0;
    }

    private int checked(int length) throws FrameException {
        if (length < 1 || length > lengthMax) {
            throw new FrameException(
                    "a frame claims " + Integer.toUnsignedString(length) + " bytes; it must have 1 to " + lengthMax);
        }
        return length;
    }

    /** Takes available bytes until it has {@code upTo}. */
    private void fill(ByteBuffer in, int upTo) throws FrameException {
        int taken = Math.min(upTo - filled, in.remaining());
        if (taken <= 0) {
            return;
        }
        reserve(filled + taken, upTo);
        in.get(held(), filled, taken);
        filled += taken;
    }

    private void reserve(int needed, int upTo) throws FrameException {
        int reserved = reserved();
        if (reserved >= needed) {
            return;
        }
        int grown = Math.min(Math.max(Math.max(needed, reserved * 2), PART_MIN), Math.max(upTo, PART_MIN));
        if (!budget.take(grown - reserved)) {
            throw new FrameException("there is no memory left for incomplete frames");
        }
        boolean isMade = false;
        try {
            part = part == null ? new byte[grown] : Arrays.copyOf(part, grown);
            isMade = true;
        } finally {
            if (!isMade) {
                budget.giveBack(grown - reserved);
            }
        }
    }

    private byte[] held() {
        return part == null ? new byte[0] : part;
    }
}
