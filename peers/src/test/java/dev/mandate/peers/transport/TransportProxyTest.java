package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerPorts;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two members that reach each other only through proxies, which misbehave; each listens elsewhere than others reach it.
 */
class TransportProxyTest {
    private static final LinkPace IMPATIENT = new LinkPace(
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(500),
            Duration.ofSeconds(3));

    private final FaultProxy[] proxies = new FaultProxy[2];
    private final Recorder[] told = {new Recorder(), new Recorder()};
    private final Transport[] members = new Transport[2];
    private TestGroup group;

    @BeforeEach
    void open() throws IOException {
        List<Integer> ports = List.copyOf(ServerPorts.choose(List.of("a", "b")).values());
        for (int i = 0; i < 2; i++) {
            proxies[i] = FaultProxy.to("127.0.0.1", ports.get(i));
        }
        group = TestGroup.at(proxies[0].port(), proxies[1].port()).pace(IMPATIENT);
        for (int i = 0; i < 2; i++) {
            members[i] = group.open(group.settings(i, new PeerAddress("127.0.0.1", ports.get(i))), told[i]);
        }
        told[0].awaitConnected(group.id(1));
        told[1].awaitConnected(group.id(0));
    }

    @AfterEach
    void close() throws IOException {
        group.close();
        for (FaultProxy proxy : proxies) {
            proxy.close();
        }
    }

    private void assertExchange(String text) {
        for (int from = 0; from < 2; from++) {
            int to = 1 - from;
            Transport sender = members[from];
            // What is sent over a connection that is about to be given up is lost.
            Await.until("'" + text + "' to arrive", TestGroup.PLENTY, () -> {
                sender.send(group.id(to), text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
                return told[to].received.stream().anyMatch(each -> each.text().equals(text));
            });
        }
    }

    @Test
    void framesArriveHoweverTheNetworkCutsThem() {
        byte[] payload = new byte[20_000];
        new Random(5).nextBytes(payload);
        for (int slice : new int[] {7, 100, 1_009}) {
            told[1].received.clear();
            proxies[0].slice(slice, Duration.ZERO);
            proxies[1].slice(slice, Duration.ZERO);
            assertThat(members[0].send(group.id(1), payload)).isTrue();
            assertThat(told[1].awaitReceived("a payload", any -> true).payload())
                    .isEqualTo(payload);
        }
        assertThat(told[1].disconnected).isEmpty();
    }

    @Test
    void aCutThatNobodyTellsOfIsNoticedAndHealed() throws IOException {
        assertExchange("before");
        proxies[0].blackHole();
        proxies[1].blackHole();
        Await.until("the cut to be noticed", TestGroup.PLENTY, () -> {
            members[0].send(group.id(1), new byte[10]);
            return !members[0].status().get(0).isUp();
        });
        assertThat(told[0].awaitDisconnected(group.id(1)).reason())
                .isEqualTo("the other side did not answer within 3000 ms");
        proxies[0].pass();
        proxies[1].pass();
        assertExchange("after");
    }

    @Test
    void aConnectionThatIsResetIsMadeAgain() throws IOException {
        for (int round = 0; round < 5; round++) {
            assertExchange("round " + round);
            for (FaultProxy proxy : proxies) {
                proxy.refuse();
                proxy.reset();
            }
            Await.until("the link to be down", TestGroup.PLENTY, () -> !isUp(0) && !isUp(1));
            proxies[0].pass();
            proxies[1].pass();
        }
        assertExchange("at last");
    }

    private boolean isUp(int member) {
        return members[member].status().get(0).isUp();
    }

    @Test
    void oneDirectionOfDiallingIsEnough() throws IOException {
        // Nobody can dial the second one any more.
        proxies[1].refuse();
        for (FaultProxy proxy : proxies) {
            proxy.reset();
        }
        Await.until("the end of what there was", TestGroup.PLENTY, () -> !told[0].disconnected.isEmpty());
        Await.until("a link by its own dial", TestGroup.PLENTY, () -> isUp(0) && isUp(1));
        assertExchange("one way");
        assertThat(proxies[1].connections()).isZero();
    }
}
