package dev.mandate.peers.transport;

import dev.mandate.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** Keeps what a transport tells. */
final class Recorder implements TransportListener {
    record Received(Peer peer, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    record Ended(Peer peer, String reason) {}

    record Refused(Peer peer, Refusal refusal) {}

    final List<Peer> connected = new CopyOnWriteArrayList<>();
    final List<Ended> disconnected = new CopyOnWriteArrayList<>();
    final List<Refused> refused = new CopyOnWriteArrayList<>();
    final List<Received> received = new CopyOnWriteArrayList<>();
    final AtomicLong payloads = new AtomicLong();
    volatile boolean keepsPayloads = true;
    volatile Optional<String> notWanted = Optional.empty();

    @Override
    public Optional<String> admit(Peer peer) {
        return notWanted;
    }

    @Override
    public void connected(Peer peer) {
        connected.add(peer);
    }

    @Override
    public void disconnected(Peer peer, String reason) {
        disconnected.add(new Ended(peer, reason));
    }

    @Override
    public void received(Peer peer, byte[] payload) {
        payloads.incrementAndGet();
        if (keepsPayloads) {
            received.add(new Received(peer, payload));
        }
    }

    @Override
    public void refused(Peer peer, Refusal refusal) {
        refused.add(new Refused(peer, refusal));
    }

    Peer awaitConnected(String id) {
        return Await.value(
                id + " to be connected",
                TestGroup.PLENTY,
                () -> connected.stream().filter(peer -> peer.id().equals(id)).findFirst());
    }

    Ended awaitDisconnected(String id) {
        return Await.value(
                id + " to be disconnected",
                TestGroup.PLENTY,
                () -> disconnected.stream()
                        .filter(ended -> ended.peer().id().equals(id))
                        .findFirst());
    }

    Received awaitReceived(String what, Predicate<Received> wanted) {
        return Await.value(
                what, TestGroup.PLENTY, () -> received.stream().filter(wanted).findFirst());
    }

    Received awaitText(String text) {
        return awaitReceived("the payload '" + text + "'", each -> each.text().equals(text));
    }

    Refusal awaitRefused(Refusal.Kind kind) {
        return Await.value(
                "a refusal " + kind,
                TestGroup.PLENTY,
                () -> refused.stream()
                        .map(Recorder.Refused::refusal)
                        .filter(refusal -> refusal.kind() == kind)
                        .findFirst());
    }
}
