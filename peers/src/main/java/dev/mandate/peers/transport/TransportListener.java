package dev.mandate.peers.transport;

import java.util.Optional;

/**
 * Callbacks of a transport. All run on its one thread, one at a time, and must not block: meanwhile no frame is sent or
 * received. They may send. What they throw is logged and has no other effect.
 */
public interface TransportListener {
    /**
     * Decides about a process that knows the secret and has the same list and terms, before it is connected.
     *
     * @return the reason to refuse it, one line, which is sent to it; empty, the default, to accept it
     */
    default Optional<String> admit(Peer peer) {
        return Optional.empty();
    }

    /** There is a connection to this process. Called once for each start of it until {@link #disconnected}. */
    void connected(Peer peer);

    /**
     * There is no connection any more; payloads that waited are dropped. The transport dials a member again by itself.
     *
     * @param reason for people, one line
     */
    void disconnected(Peer peer, String reason);

    /**
     * A payload came from a connected process.
     *
     * @param payload belongs to the listener
     */
    void received(Peer peer, byte[] payload);

    /**
     * A turn of the thread ends: everything that came was reported, and what is sent now leaves with this turn. Called
     * after each {@link Transport#wake}, and whenever anything else woke the thread.
     *
     * @return when to call it again at the latest, by {@link System#nanoTime}; {@link Long#MAX_VALUE}, the default, for
     *     no such time
     */
    default long turned() {
        return Long.MAX_VALUE;
    }

    /**
     * Two processes that know the same secret, or ought to, cannot connect. Called at each try; the transport dials a
     * member again by itself. Strangers that dial are not reported, but counted in {@link Transport#strangers}.
     *
     * @param peer as far as known: of a dialled member that rejected the secret, only its name
     */
    void refused(Peer peer, Refusal refusal);
}
