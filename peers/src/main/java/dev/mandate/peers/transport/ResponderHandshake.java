package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import java.nio.ByteBuffer;
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
    private @Nullable SessionKeys keys;
    private @Nullable Introduction initiator;

    /**
     * A handshake that waits for the other side.
     *
     * @param own its {@link Introduction#to} is ignored
     * @param secrets each of them is accepted
     * @param nonce {@value Handshake#NONCE} fresh random bytes
     * @param admission asked about each process that knows a secret
     */
    ResponderHandshake(Introduction own, List<byte[]> secrets, byte[] nonce, Admission admission) {
        this.own = own;
        this.secrets = secrets;
        this.nonce = nonce;
        this.admission = admission;
    }

    @Override
    HandshakeStep on(ByteBuffer frame) throws FrameException {
        Introduction theirs = initiator;
        SessionKeys session = keys;
        if (theirs != null && session != null) {
            return onReady(frame, theirs, session);
        }
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
            SessionKeys session = SessionKeys.derive(secret, initiatorNonce, nonce);
            if (isSigned(frame, session.initiatorProof())) {
                Introduction theirs = Introduction.read(body(frame));
                record(frame);
                return admitted(theirs, session);
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

    private HandshakeStep admitted(Introduction theirs, SessionKeys session) {
        Introduction answer = new Introduction(own.members(), own.terms(), own.self(), own.startId(), theirs.to());
        Optional<Refusal> refusal = admission.judge(theirs);
        if (refusal.isPresent()) {
            return new Refused(refuse(refusal.get(), answer, session.responderProof()), theirs, refusal.get());
        }
        keys = session;
        initiator = theirs;
        ByteBuffer accept = frame(FrameType.ACCEPT, Introduction.BYTES_MAX + FrameSeal.MAC);
        answer.write(accept);
        byte[] signed = signed(accept, session.responderProof());
        record(unframed(signed));
        return new Send(signed);
    }

    private HandshakeStep onReady(ByteBuffer frame, Introduction theirs, SessionKeys session) throws FrameException {
        if (type(frame) != FrameType.READY && type(frame) != FrameType.REFUSE) {
            throw unexpected(frame);
        }
        if (!isSigned(frame, session.initiatorProof())) {
            throw new FrameException("the end of a handshake is not signed with the group's secret");
        }
        if (type(frame) == FrameType.REFUSE) {
            return refused(frame, admission);
        }
        // Judged again: others may have connected since.
        Optional<Refusal> refusal = admission.judge(theirs);
        return refusal.isPresent()
                ? new Refused(null, theirs, refusal.get())
                : new Established(null, theirs, session.toInitiator(), session.toResponder());
    }

    private static byte[] deny(Refusal.Kind kind) {
        return frame(FrameType.DENY, 2).put(kind.code()).put(VERSION).array();
    }
}
