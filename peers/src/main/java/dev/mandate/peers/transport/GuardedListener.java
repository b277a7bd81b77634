package dev.mandate.peers.transport;

import java.util.Optional;
import java.util.function.Supplier;

/** Wraps a listener so that it may throw, or leave its thread interrupted, without harming the loop. */
final class GuardedListener implements TransportListener {
    private final TransportListener listener;
    private final LinkLog log;

    GuardedListener(TransportListener listener, LinkLog log) {
        this.listener = listener;
        this.log = log;
    }

    @Override
    public Optional<String> admit(Peer peer) {
        return call(peer, () -> listener.admit(peer), Optional.of("it cannot decide whether to accept this process"));
    }

    @Override
    public void connected(Peer peer) {
        run(peer, () -> listener.connected(peer));
    }

    @Override
    public void disconnected(Peer peer, String reason) {
        run(peer, () -> listener.disconnected(peer, reason));
    }

    @Override
    public void received(Peer peer, byte[] payload) {
        run(peer, () -> listener.received(peer, payload));
    }

    @Override
    public void refused(Peer peer, Refusal refusal) {
        run(peer, () -> listener.refused(peer, refusal));
    }

    @Override
    public long turned() {
        try {
            return listener.turned();
        } catch (RuntimeException | Error e) {
            log.trouble(LinkLog.GUESTS, "a listener failed: " + e, System.nanoTime());
            return Long.MAX_VALUE;
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    private void run(Peer peer, Runnable what) {
        call(
                peer,
                () -> {
                    what.run();
                    return true;
                },
                false);
    }

    private <T> T call(Peer peer, Supplier<T> what, T otherwise) {
        try {
            return what.get();
        } catch (RuntimeException | Error e) {
            log.trouble(peer.isMember() ? peer.id() : LinkLog.GUESTS, "a listener failed: " + e, System.nanoTime());
            return otherwise;
        } finally {
            // A selector does not wait on an interrupted thread, so the loop would spin.
            boolean unused = Thread.interrupted();
        }
    }
}
