package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import io.grpc.ConnectivityState;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose turn it is when. */
class EndpointsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private final List<Endpoints.Member> left = new ArrayList<>();
    private Endpoints endpoints;

    private List<Endpoints.Member> members(String hosts) {
        endpoints = new Endpoints(
                EtcdUrl.settings(StoreUrl.parse("etcd://" + hosts)),
                java.util.concurrent.ForkJoinPool.commonPool(),
                left::add);
        return endpoints.all();
    }

    @AfterEach
    void close() {
        endpoints.close();
    }

    @Test
    void oneAtATimeInTheOrderOfTheUrl() {
        List<Endpoints.Member> members = members("a.invalid,b.invalid,c.invalid");

        assertThat(members)
                .extracting(member -> member.host.name())
                .containsExactly("a.invalid", "b.invalid", "c.invalid");
        assertThat(endpoints.current()).isSameAs(members.get(0));
        endpoints.failed(members.get(0), Status.Code.DEADLINE_EXCEEDED);
        assertThat(endpoints.current()).isSameAs(members.get(1));
        endpoints.failed(members.get(1), Status.Code.UNAVAILABLE);
        endpoints.failed(members.get(2), Status.Code.UNAVAILABLE);
        assertThat(endpoints.current()).isSameAs(members.get(0));
        assertThat(left).isEqualTo(members);
    }

    /** Many calls fail when one member does. */
    @Test
    void aMemberThatWasLeftAlreadyIsNotLeftAgain() {
        List<Endpoints.Member> members = members("a.invalid,b.invalid,c.invalid");

        endpoints.failed(members.get(0), Status.Code.UNAVAILABLE);
        endpoints.failed(members.get(0), Status.Code.DEADLINE_EXCEEDED);

        assertThat(endpoints.current()).isSameAs(members.get(1));
        assertThat(left).containsExactly(members.get(0));
    }

    @Test
    void aloneItIsAlwaysItsTurn() {
        Endpoints.Member only = members("a.invalid").get(0);

        endpoints.failed(only, Status.Code.UNAVAILABLE);
        endpoints.failed(only, Status.Code.DEADLINE_EXCEEDED);

        assertThat(endpoints.current()).isSameAs(only);
        assertThat(left).isEmpty();
    }

    @Test
    void oneThatIsKnownToBeDownIsPassedOver() throws Exception {
        List<Endpoints.Member> members = members("127.0.0.1:" + closedPort() + ",b.invalid,127.0.0.1:" + closedPort());
        down(members.get(2));
        endpoints.failed(members.get(0), Status.Code.DEADLINE_EXCEEDED);
        assertThat(endpoints.current()).isSameAs(members.get(1));

        endpoints.failed(members.get(1), Status.Code.DEADLINE_EXCEEDED);

        assertThat(endpoints.current()).as("after the last one comes the first").isSameAs(members.get(0));
    }

    @Test
    void aSlowOneIsBetterThanOthersThatAreDownAndOneThatIsDownIsNot() throws Exception {
        List<Endpoints.Member> members = members("a.invalid,127.0.0.1:" + closedPort() + ",127.0.0.1:" + closedPort());
        down(members.get(1));
        down(members.get(2));

        endpoints.failed(members.get(0), Status.Code.DEADLINE_EXCEEDED);
        assertThat(endpoints.current()).isSameAs(members.get(0));
        assertThat(left).isEmpty();
        endpoints.failed(members.get(0), Status.Code.UNAVAILABLE);

        assertThat(endpoints.current()).isSameAs(members.get(1));
    }

    /** It may not be the server that hangs, but the connection, say behind a firewall that forgot it. */
    @Test
    void anOpenConnectionOnWhichACallTookTooLongIsLeftForAnother() throws Exception {
        Server silent = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .build()
                .start();
        try {
            Endpoints.Member only = members("127.0.0.1:" + silent.getPort()).get(0);
            open(only);
            endpoints.failed(only, Status.Code.UNAVAILABLE);
            assertThat(only.channel.getState(false)).isEqualTo(ConnectivityState.READY);

            endpoints.failed(only, Status.Code.DEADLINE_EXCEEDED);
            Await.until(
                    "the connection to be left",
                    PATIENCE,
                    () -> only.channel.getState(false) == ConnectivityState.IDLE);

            open(only);
        } finally {
            silent.shutdownNow();
        }
    }

    private static void open(Endpoints.Member member) {
        Await.until(
                member.host + " to be connected to",
                PATIENCE,
                () -> member.channel.getState(true) == ConnectivityState.READY);
    }

    private static void down(Endpoints.Member member) {
        Await.until(
                member.host + " to be known as down",
                PATIENCE,
                () -> member.channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE);
    }

    private static int closedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }
}
