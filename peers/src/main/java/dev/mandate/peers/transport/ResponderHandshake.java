package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The side that was dialled; see {@link Handshake}. */
final class ResponderHandshake extends Handshake {
    private final Introduction own;
    private final List<byte[]> secrets;
    private final byte[] nonce;
    private final Admission admission;
    private byte @Nullable [] theirNonce;

    /**
     * A handshake that waits for the other side.
     *
     * @param own its {@link Introduction#to} is ignored
     * @param secrets each of them is accepted
     * @param nonce {@value Handshake#NONCE} fresh random bytes
     * @param admission asked about whoever knows a secret
     */
    ResponderHandshake(Introduction own, List<byte[]> secrets, byte[] nonce, Admission admission) {
        this.own = own;
        this.secrets = secrets;
        this.nonce = nonce;
        this.admission = admission;
    }

    @Override
    HandshakeStep on(ByteBuffer frame) throws FrameException {
        byte[] hello = theirNonce;
        return hello == null ? onHello(frame) : onProof(frame, hello);
    }

    private HandshakeStep onHello(ByteBuffer frame) throws FrameException {
        int header = 1 + MAGIC.length;
        if (type(frame) != FrameType.HELLO
                || frame.limit() <= header
                || !frame.slice(1, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            throw unexpected(frame);
        }
        byte version = frame.get(header);
        if (version != VERSION) {
            return new Refused(
                    deny(Refusal.Kind.VERSION),
                    null,
                    new Refusal(
                            Refusal.Kind.VERSION,
                            "a process speaks version " + version + " of the protocol between members, this process"
                                    + " version " + VERSION + "; run the same release on both"));
        }
        if (frame.limit() != header + 1 + NONCE) {
            throw unexpected(frame);
        }
        byte[] theirs = new byte[NONCE];
        frame.get(header + 1, theirs);
        theirNonce = theirs;
        record(frame);
        byte[] challenge =
                frame(FrameType.CHALLENGE, 1 + NONCE).put(VERSION).put(nonce).array();
        record(unframed(challenge));
        return new Send(challenge);
    }

    private HandshakeStep onProof(ByteBuffer frame, byte[] initiatorNonce) throws FrameException {
        if (type(frame) != FrameType.PROOF) {
            throw unexpected(frame);
        }
        for (byte[] secret : secrets) {
            SessionKeys keys = SessionKeys.derive(secret, initiatorNonce, nonce);
            if (isSigned(frame, keys.initiatorProof())) {
                Introduction theirs = Introduction.read(body(frame));
                record(frame);
                return admitted(theirs, keys);
            }
        }
        return new Refused(
                deny(Refusal.Kind.SECRET),
                null,
                new Refusal(
                        Refusal.Kind.SECRET,
                        "a process does not know the group's secret; if it is one of the group, give both the same"
                                + " secretFile content"));
    }

    private HandshakeStep admitted(Introduction theirs, SessionKeys keys) {
        Introduction answer = new Introduction(own.members(), own.terms(), own.self(), own.startId(), theirs.to());
        Optional<Refusal> refusal = admission.judge(theirs);
        if (refusal.isPresent()) {
            byte[] sentence = refusal.get().sentence().getBytes(StandardCharsets.UTF_8);
            int length = Math.min(sentence.length, Refusal.SENTENCE_MAX);
            ByteBuffer refuse = frame(FrameType.REFUSE, 1 + Introduction.BYTES_MAX + length + FrameSeal.MAC)
                    .put(refusal.get().kind().code());
            answer.write(refuse);
            refuse.put(sentence, 0, length);
            return new Refused(signed(refuse, keys.responderProof()), theirs, refusal.get());
        }
        ByteBuffer accept = frame(FrameType.ACCEPT, Introduction.BYTES_MAX + FrameSeal.MAC);
        answer.write(accept);
        return new Established(signed(accept, keys.responderProof()), theirs, keys.toInitiator(), keys.toResponder());
    }

    private static byte[] deny(Refusal.Kind kind) {
        return frame(FrameType.DENY, 2).put(kind.code()).put(VERSION).array();
    }
}
