package dev.mandate.peers.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames to a socket that may take only part of them: as many as fit into one buffer with one call. Keeps what
 * the socket did not take, at most that buffer or one frame. Not safe for use from many threads.
 */
final class FrameWriter {
    /** Supplies payloads, which are sealed when they leave. */
    interface Source {
        /** The next payload; null if there is none. */
        byte @Nullable [] peek();

        /** The type of what {@link #peek} returned. */
        byte type();

        /** Removes what {@link #peek} returned: it is sealed. */
        void pop();
    }

    private final WritableByteChannel channel;
    /** Shared with the other writers of the thread. */
    private final ByteBuffer scratch;

    private @Nullable ByteBuffer rest;
    private boolean isProgressing;

    FrameWriter(WritableByteChannel channel, ByteBuffer scratch) {
        this.channel = channel;
        this.scratch = scratch;
    }

    /** Writes a frame of a handshake. */
    void write(byte[] frame) throws IOException {
        ByteBuffer former = rest;
        if (former != null) {
            rest = ByteBuffer.allocate(former.remaining() + frame.length)
                    .put(former)
                    .put(frame)
                    .flip();
        } else {
            writeOrKeep(ByteBuffer.wrap(frame));
        }
    }

    /**
     * Writes what the source has, as far as the socket takes it.
     *
     * @return false if the socket takes no more now: call it again when it does
     */
    boolean drain(@Nullable FrameSeal seal, Source source) throws IOException {
        ByteBuffer former = rest;
        isProgressing = false;
        if (former != null) {
            isProgressing = channel.write(former) > 0;
            if (former.hasRemaining()) {
                return false;
            }
            rest = null;
        }
        if (seal == null) {
            return true;
        }
        while (fill(seal, source)) {
            if (!flushScratch()) {
                return false;
            }
        }
        return rest == null;
    }

    /** Whether the socket did not take all that was sealed. */
    boolean isWaiting() {
        return rest != null;
    }

    /** Whether the last {@link #drain} wrote to a socket that had been full. If so, the other side has read. */
    boolean isProgressing() {
        return isProgressing;
    }

    /** Seals as much as fits, a longer frame in its own buffer; returns whether {@link #scratch} has anything. */
    private boolean fill(FrameSeal seal, Source source) throws IOException {
        scratch.clear();
        for (byte[] next = source.peek(); next != null; next = source.peek()) {
            int length = next.length + FrameSeal.OVERHEAD;
            if (length > scratch.capacity() && scratch.position() == 0) {
                ByteBuffer whole = ByteBuffer.allocate(length);
                seal.seal(source.type(), next, whole);
                source.pop();
                if (!writeOrKeep(whole.flip())) {
                    return false;
                }
            } else if (length > scratch.remaining()) {
                break;
            } else {
                seal.seal(source.type(), next, scratch);
                source.pop();
            }
        }
        return scratch.position() > 0;
    }

    private boolean flushScratch() throws IOException {
        scratch.flip();
        channel.write(scratch);
        if (scratch.hasRemaining()) {
            rest = ByteBuffer.allocate(scratch.remaining()).put(scratch).flip();
            return false;
        }
        return true;
    }

    private boolean writeOrKeep(ByteBuffer bytes) throws IOException {
        channel.write(bytes);
        if (bytes.hasRemaining()) {
            rest = bytes;
            return false;
        }
        return true;
    }
}
