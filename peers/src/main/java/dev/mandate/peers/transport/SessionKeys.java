package dev.mandate.peers.transport;

import java.nio.charset.StandardCharsets;
import javax.crypto.Mac;

/**
 * The keys of one connection, derived from the group's secret and the fresh nonces of both sides, as in HKDF (RFC
 * 5869): one for each purpose and direction, so that nothing that one side signs can be sent back to it.
 */
final class SessionKeys {
    private static final byte[] PROTOCOL = bytes("mandate peers 1");

    private final byte[] extracted;

    private SessionKeys(byte[] extracted) {
        this.extracted = extracted;
    }

    static SessionKeys derive(byte[] secret, byte[] initiatorNonce, byte[] responderNonce) {
        Mac mac = FrameSeal.mac(secret);
        mac.update(PROTOCOL);
        mac.update(initiatorNonce);
        mac.update(responderNonce);
        return new SessionKeys(mac.doFinal());
    }

    /** The key with which the dialling side signs its proof. */
    Mac initiatorProof() {
        return FrameSeal.mac(expand("proof of the initiator"));
    }

    /** The key with which the dialled side signs its answer. */
    Mac responderProof() {
        return FrameSeal.mac(expand("proof of the responder"));
    }

    FrameSeal toResponder() {
        return new FrameSeal(expand("frames to the responder"));
    }

    FrameSeal toInitiator() {
        return new FrameSeal(expand("frames to the initiator"));
    }

    private byte[] expand(String purpose) {
        Mac mac = FrameSeal.mac(extracted);
        mac.update(bytes(purpose));
        mac.update((byte) 1);
        return mac.doFinal();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
