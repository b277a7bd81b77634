package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Refused;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.Mac;

/**
 * The beginning of a connection: each side proves that it knows the group's secret, and introduces itself.
 *
 * <pre>
 *   initiator                                   responder
 *   HELLO     magic, version, nonce        -->
 *                                          &lt;--  CHALLENGE  version, nonce
 *   PROOF     introduction, signature      -->
 *                                          &lt;--  ACCEPT  introduction, signature
 *                                          or   REFUSE  kind, introduction, sentence, signature
 *                                          or   DENY    kind, version (unsigned)
 *   READY     signature                    -->
 *   or REFUSE as above                     -->
 * </pre>
 *
 * <p>The side that sends REFUSE or DENY closes the connection. Neither side uses it before both have accepted.
 *
 * <p>A signature is an HMAC-SHA256 over a digest of all earlier frames and the frame itself, under a key derived from
 * the secret and both nonces, a different one for each side ({@link SessionKeys}): a recorded handshake is useless
 * against a fresh nonce, and no signature can be sent back to its author. The introduction names the dialled member, so
 * that a handshake cannot be relayed to another one. Nothing of an introduction is read before its signature is
 * verified, and a stranger learns only that it is one.
 *
 * <p>Pure: no clock, socket or randomness. Not safe for use from many threads.
 */
abstract sealed class Handshake permits InitiatorHandshake, ResponderHandshake {
    static final byte VERSION = 1;
    static final int NONCE = 32;

    /** The longest frame of a handshake, in bytes without its length. */
    static final int FRAME_MAX = 1 + 1 + Introduction.BYTES_MAX + Short.BYTES + Refusal.SENTENCE_MAX + FrameSeal.MAC;

    /** The longest frame that a responder accepts. */
    static final int PROOF_MAX = 1 + Introduction.BYTES_MAX + FrameSeal.MAC;

    static final byte[] MAGIC = {'M', 'N', 'D', 'T'};

    private final MessageDigest digest;
    /** Covers all frames so far. */
    private byte[] transcript = new byte[0];

    Handshake() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            // Every Java platform has it.
            throw new IllegalStateException("SHA-256 is missing: " + e, e);
        }
    }

    /**
     * Takes the next frame of the other side.
     *
     * @param frame without its length, at least its type; read to its end
     * @throws FrameException if it may not come now, or its signature is wrong: close the connection
     */
    abstract HandshakeStep on(ByteBuffer frame) throws FrameException;

    /** Adds a frame, without its length, to the transcript. */
    final void record(ByteBuffer frame) {
        digest.update(transcript);
        digest.update(frame.duplicate());
        transcript = digest.digest();
    }

    /** Makes a frame with its length and room for {@code body} bytes after its type, ready to be written to. */
    static ByteBuffer frame(byte type, int body) {
        return ByteBuffer.allocate(FrameDecoder.HEADER + 1 + body)
                .putInt(1 + body)
                .put(type);
    }

    /** The part of a frame after its length. */
    static ByteBuffer unframed(byte[] frame) {
        return ByteBuffer.wrap(frame, FrameDecoder.HEADER, frame.length - FrameDecoder.HEADER)
                .slice();
    }

    /** Signs the content of {@code frame} so far, and ends it. */
    final byte[] signed(ByteBuffer frame, Mac key) {
        int length = frame.position() - FrameDecoder.HEADER + FrameSeal.MAC;
        frame.putInt(0, length);
        ByteBuffer content = frame.duplicate().flip().position(FrameDecoder.HEADER);
        frame.put(sign(content, key));
        return Arrays.copyOf(frame.array(), frame.position());
    }

    /** Whether {@code frame}, without its length, ends with the right signature. */
    final boolean isSigned(ByteBuffer frame, Mac key) {
        int content = frame.limit() - FrameSeal.MAC;
        if (content < 1) {
            return false;
        }
        byte[] given = new byte[FrameSeal.MAC];
        frame.get(content, given);
        return MessageDigest.isEqual(given, sign(frame.duplicate().position(0).limit(content), key));
    }

    private byte[] sign(ByteBuffer content, Mac key) {
        key.update(transcript);
        key.update(content);
        return key.doFinal();
    }

    /** The signed frame by which a side refuses the other one. */
    final byte[] refuse(Refusal refusal, Introduction own, Mac key) {
        byte[] sentence = refusal.sentence().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(sentence.length, Refusal.SENTENCE_MAX);
        ByteBuffer refuse = frame(FrameType.REFUSE, 1 + Introduction.BYTES_MAX + length + FrameSeal.MAC)
                .put(refusal.kind().code());
        own.write(refuse);
        refuse.put(sentence, 0, length);
        return signed(refuse, key);
    }

    /** The result of such a frame, with a correct signature. If this side finds the same fault, it says so itself. */
    static Refused refused(ByteBuffer frame, Admission admission) throws FrameException {
        ByteBuffer body = body(frame);
        if (!body.hasRemaining()) {
            throw new FrameException("a refusal is cut off");
        }
        Refusal.Kind kind = Refusal.Kind.of(body.get()).orElse(Refusal.Kind.NOT_WANTED);
        Introduction theirs = Introduction.read(body);
        String sentence = StandardCharsets.UTF_8.decode(body).toString();
        return new Refused(
                null,
                theirs,
                admission
                        .judge(theirs)
                        .filter(own -> own.kind() == kind)
                        .orElseGet(() -> new Refusal(kind, theirs.name() + " refuses this process: " + sentence)));
    }

    /** The part between type and signature of a signed frame. */
    static ByteBuffer body(ByteBuffer frame) {
        return frame.duplicate().position(1).limit(frame.limit() - FrameSeal.MAC);
    }

    static byte type(ByteBuffer frame) {
        return frame.get(0);
    }

    static FrameException unexpected(ByteBuffer frame) {
        return new FrameException("a frame of type " + type(frame) + " and " + frame.limit()
                + " bytes came where the handshake has another one");
    }
}
