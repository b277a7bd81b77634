package dev.mandate.peers.transport;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs, or verifies, the frames of one direction of one connection. Each frame's HMAC covers its position in that
 * direction, so a frame that is repeated, left out, moved or taken from another connection does not verify. Pure; not
 * safe for use from many threads.
 */
final class FrameSeal {
    /** Bytes of an HMAC-SHA256. */
    static final int MAC = 32;

    /** What a frame adds to its payload: length, type and HMAC. */
    static final int OVERHEAD = FrameDecoder.HEADER + 1 + MAC;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;
    /** Counter, length and type, signed before the payload. */
    private final ByteBuffer prefix = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + 1);

    private long counter;

    FrameSeal(byte[] key) {
        this.mac = mac(key);
    }

    /** An HMAC-SHA256 under {@code key}, which must not be empty. */
    static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            // Every Java platform has it, and it takes every key.
            throw new IllegalStateException("HMAC-SHA256 is missing: " + e, e);
        }
    }

    /** Writes {@code payload} as a whole frame to {@code out}, which has room for it and {@link #OVERHEAD}. */
    void seal(byte type, byte[] payload, ByteBuffer out) {
        int length = 1 + payload.length + MAC;
        out.putInt(length).put(type).put(payload);
        out.put(sign(type, length, ByteBuffer.wrap(payload)));
    }

    /**
     * Verifies a frame, given without its length, as the next one of its direction.
     *
     * @return the payload, a part of {@code frame}; its type is the frame's first byte
     * @throws FrameException if it is too short or its HMAC is wrong; the connection is then unusable
     */
    ByteBuffer open(ByteBuffer frame) throws FrameException {
        int length = frame.remaining();
        int payload = length - 1 - MAC;
        if (payload < 0) {
            throw new FrameException("a frame has " + length + " bytes, too few for a type and a signature");
        }
        int start = frame.position();
        byte[] given = new byte[MAC];
        frame.get(start + 1 + payload, given);
        byte[] right = sign(frame.get(start), length, frame.slice(start + 1, payload));
        if (!MessageDigest.isEqual(given, right)) {
            throw new FrameException("a frame is not signed as the next one of this connection");
        }
        return frame.slice(start + 1, payload);
    }

    private byte[] sign(byte type, int length, ByteBuffer payload) {
        prefix.clear().putLong(counter).putInt(length).put(type).flip();
        counter++;
        mac.update(prefix);
        mac.update(payload);
        return mac.doFinal();
    }
}
