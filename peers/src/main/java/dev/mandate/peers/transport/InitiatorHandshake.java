package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import java.nio.ByteBuffer;
import java.util.Optional;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/** The side that dialled; see {@link Handshake}. */
final class InitiatorHandshake extends Handshake {
    private final Introduction own;
    private final byte[] secret;
    private final byte[] nonce;
    private final Admission admission;
    private @Nullable SessionKeys keys;

    /**
     * A handshake that begins with {@link #hello()}.
     *
     * @param own names the dialled member in {@link Introduction#to}
     * @param nonce {@value Handshake#NONCE} fresh random bytes
     * @param admission has the last word about the other side
     */
    InitiatorHandshake(Introduction own, byte[] secret, byte[] nonce, Admission admission) {
        this.own = own;
        this.secret = secret;
        this.nonce = nonce;
        this.admission = admission;
    }

    /** The first frame, with its length. Call it once. */
    byte[] hello() {
        byte[] hello = frame(FrameType.HELLO, MAGIC.length + 1 + NONCE)
                .put(MAGIC)
                .put(VERSION)
                .put(nonce)
                .array();
        record(unframed(hello));
        return hello;
    }

    @Override
    HandshakeStep on(ByteBuffer frame) throws FrameException {
        if (type(frame) == FrameType.DENY && frame.limit() == 3) {
            return new Refused(null, null, denied(frame.get(1), frame.get(2)));
        }
        SessionKeys session = keys;
        return session == null ? onChallenge(frame) : onAnswer(frame, session);
    }

    private Refusal denied(byte code, byte version) {
        if (code == Refusal.Kind.VERSION.code()) {
            return new Refusal(
                    Refusal.Kind.VERSION,
                    own.to() + " speaks version " + version + " of the protocol between members, this process version "
                            + VERSION + "; run the same release on both");
        }
        return new Refusal(
                Refusal.Kind.SECRET,
                own.to() + " does not accept this process's secret; give both the same secretFile content");
    }

    private HandshakeStep onChallenge(ByteBuffer frame) throws FrameException {
        if (type(frame) != FrameType.CHALLENGE || frame.limit() != 2 + NONCE || frame.get(1) != VERSION) {
            throw unexpected(frame);
        }
        byte[] theirs = new byte[NONCE];
        frame.get(2, theirs);
        record(frame);
        SessionKeys derived = SessionKeys.derive(secret, nonce, theirs);
        keys = derived;
        ByteBuffer proof = frame(FrameType.PROOF, Introduction.BYTES_MAX + FrameSeal.MAC);
        own.write(proof);
        byte[] signed = signed(proof, derived.initiatorProof());
        record(unframed(signed));
        return new Send(signed);
    }

    private HandshakeStep onAnswer(ByteBuffer frame, SessionKeys session) throws FrameException {
        boolean isAccept = type(frame) == FrameType.ACCEPT;
        if (!isAccept && type(frame) != FrameType.REFUSE) {
            throw unexpected(frame);
        }
        if (!isSigned(frame, session.responderProof())) {
            throw new FrameException("the answer to a handshake is not signed with the group's secret");
        }
        if (!isAccept) {
            return refused(frame, admission);
        }
        Introduction theirs = Introduction.read(body(frame));
        record(frame);
        Mac key = session.initiatorProof();
        Optional<Refusal> refusal = admission.judge(theirs);
        if (refusal.isPresent()) {
            return new Refused(refuse(refusal.get(), own, key), theirs, refusal.get());
        }
        byte[] ready = signed(frame(FrameType.READY, FrameSeal.MAC), key);
        return new Established(ready, theirs, session.toResponder(), session.toInitiator());
    }
}
