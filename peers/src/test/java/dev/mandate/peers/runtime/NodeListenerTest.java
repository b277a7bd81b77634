package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.transport.Peer;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.spi.Id;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(NodeLogger.LOCK)
class NodeListenerTest {
    private static final PeerAddress MEMBER = new PeerAddress("127.0.0.1", 1);
    private static final Peer PEER = new Peer(MEMBER.toString(), new Id(1, 2), true);
    private static final NodeEvent UP = new NodeEvent.Link(0, true);
    private static final NodeEvent DOWN = new NodeEvent.Link(0, false);

    private final List<NodeEvent> told = new ArrayList<>();
    private boolean isBroken;

    private final NodeListener listener =
            new NodeListener(new Peers(List.of(MEMBER)), this::tell, (what, bytes) -> {}, () -> Long.MAX_VALUE);

    private void tell(NodeEvent event) {
        if (isBroken) {
            throw new InternalError("of a test");
        }
        told.add(event);
    }

    private void broken(Runnable what) {
        isBroken = true;
        assertThatThrownBy(what::run).isInstanceOf(InternalError.class);
        isBroken = false;
    }

    @Test
    void aLinkOfWhichTheNodeDoesNotKnowDoesNotEnd() {
        broken(() -> listener.connected(PEER));
        listener.disconnected(PEER, "of a test");
        assertThat(told).isEmpty();

        listener.connected(PEER);
        listener.disconnected(PEER, "of a test");
        assertThat(told).containsExactly(UP, DOWN);
    }

    @Test
    void anEndThatCouldNotBeToldIsToldBeforeTheNextLink() {
        listener.connected(PEER);
        broken(() -> listener.disconnected(PEER, "of a test"));
        listener.connected(PEER);

        assertThat(told).containsExactly(UP, DOWN, UP);
    }

    @Test
    void aLoggerThatBlocksDoesNotHoldUpMessages() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (NodeLogger logger = NodeLogger.blockedUntil(goOn)) {
            assertThat(logger).isNotNull();
            Thread transport = new Thread(() -> listener.received(PEER, new byte[] {-1}));
            transport.start();
            Await.until("the message to be dropped", Duration.ofSeconds(30), () -> !transport.isAlive());
        } finally {
            goOn.countDown();
        }
    }
}
