package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static final Duration PLENTY = Duration.ofSeconds(20);

    /** Answers every byte with the same byte, and remembers it. */
    private final Queue<Integer> served = new ConcurrentLinkedQueue<>();

    private ServerSocket server;
    private Thread accept;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        accept = new Thread(this::serveAll);
        accept.setDaemon(true);
        accept.start();
        proxy = FaultProxy.to("127.0.0.1", server.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        proxy.close();
        server.close();
    }

    private void serveAll() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread thread = new Thread(() -> serve(client));
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            for (int b = client.getInputStream().read();
                    b >= 0;
                    b = client.getInputStream().read()) {
                served.add(b);
                client.getOutputStream().write(b);
            }
        } catch (IOException e) {
            // The connection was cut: that is what the tests are about.
        }
    }

    @Test
    void passesBothWaysAndEnds() throws IOException {
        try (Socket client = connect()) {
            assertThat(ask(client, "hello")).isEqualTo("hello");
            assertThat(proxy.forwarded(Direction.TO_SERVER)).isEqualTo(5);
            assertThat(proxy.forwarded(Direction.TO_CLIENT)).isEqualTo(5);
            client.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
        proxy.awaitConnections(0, PLENTY);
    }

    @Test
    void whatIsStalledGoesOnWhenItPasses() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.stall(Direction.TO_SERVER);
            send(client, "late");
            proxy.awaitHeld(Direction.TO_SERVER, PLENTY);
            assertThat(served).hasSize(1);

            proxy.pass();

            assertThat(receive(client, 4)).isEqualTo("late");
        }
    }

    @Test
    void aBlackHoleTowardsTheClientHidesWhatTheServerDid() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.blackHole(Direction.TO_CLIENT);
            send(client, "b");
            proxy.awaitHeld(Direction.TO_CLIENT, PLENTY);
            assertThat(served).hasSize(2);
            client.setSoTimeout(50);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);

            proxy.pass();

            client.setSoTimeout((int) PLENTY.toMillis());
            assertThatThrownBy(() -> client.getInputStream().read())
                    .as("the stream lost a byte, so it must not go on")
                    .isInstanceOf(SocketException.class);
        }
        try (Socket next = connect()) {
            assertThat(ask(next, "c")).isEqualTo("c");
        }
    }

    @Test
    void aBlackHoleTowardsTheServerKeepsRequestsFromIt() throws IOException {
        try (Socket client = connect()) {
            proxy.blackHole();
            send(client, "a");
            proxy.awaitHeld(Direction.TO_SERVER, PLENTY);
            assertThat(served).isEmpty();
        }
    }

    @Test
    void aCutLosesTheAnswerToWhatWasDone() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.cutAfter(Direction.TO_CLIENT, 0);
            send(client, "b");

            proxy.awaitCuts(1, PLENTY);

            assertThat(served).hasSize(2);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        try (Socket next = connect()) {
            assertThat(ask(next, "c")).as("a cut happens once").isEqualTo("c");
        }
    }

    @Test
    void lostAnswersAreThoseToWhatWasAskedSince() throws IOException {
        try (Socket client = connect()) {
            proxy.delay(Duration.ofMillis(200));
            send(client, "a");
            Await.until("the question to pass", PLENTY, () -> proxy.forwarded(Direction.TO_SERVER) == 1);
            proxy.loseAnswers(1);
            assertThat(client.getInputStream().read())
                    .as("what was asked before")
                    .isEqualTo('a');
            proxy.delay(Duration.ZERO);
            send(client, "b");

            proxy.awaitCuts(1, PLENTY);

            assertThat(served).as("what the server was asked").hasSize(2);
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        try (Socket next = connect()) {
            assertThat(ask(next, "c")).as("one answer is lost").isEqualTo("c");
        }
        assertThat(proxy.cuts()).isEqualTo(1);
        assertThatThrownBy(() -> proxy.loseAnswers(0)).hasMessageContainingAll("0", "at least 1");
    }

    @Test
    void aCutInTheMiddleLetsTheFirstBytesThrough() throws IOException {
        try (Socket client = connect()) {
            proxy.cutAfter(Direction.TO_SERVER, 3);
            send(client, "abcdef");
            proxy.awaitCuts(1, PLENTY);

            assertThat(proxy.forwarded(Direction.TO_SERVER)).isEqualTo(3);
        }
    }

    @Test
    void resetEndsConnectionsAndTakesNewOnes() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.reset();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        try (Socket next = connect()) {
            assertThat(ask(next, "b")).isEqualTo("b");
            assertThat(proxy.accepted()).isEqualTo(2);
        }
    }

    @Test
    void resetAlsoEndsWhatIsStalled() throws IOException {
        try (Socket client = connect()) {
            proxy.stall();
            send(client, "a");
            proxy.awaitHeld(Direction.TO_SERVER, PLENTY);

            proxy.reset();

            proxy.awaitConnections(0, PLENTY);
            proxy.pass();
            assertThat(served).isEmpty();
        }
    }

    @Test
    void aHalfClosedConnectionGoesOnTheOtherWay() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.halfClose(Direction.TO_CLIENT);
            assertThat(client.getInputStream().read()).isEqualTo(-1);

            send(client, "b");

            Await.until("the byte that was sent after it", PLENTY, () -> served.size() == 2);
        }
    }

    @Test
    void refusedConnectionsComeBackOnTheSamePort() throws IOException {
        try (Socket before = connect()) {
            ask(before, "a");
            proxy.refuse();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThat(ask(before, "b")).as("connections of before go on").isEqualTo("b");

            proxy.pass();

            try (Socket after = connect()) {
                assertThat(ask(after, "c")).isEqualTo("c");
            }
        }
    }

    @Test
    void nobodyElseIsGivenThePortWhileConnectionsAreRefused() throws IOException {
        proxy.refuse();
        try (ServerSocket other = new ServerSocket()) {
            // As it would be for an outgoing connection, whose port the system chooses.
            other.setReuseAddress(false);
            assertThatThrownBy(() -> other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())))
                    .isInstanceOf(BindException.class);
        }
    }

    @Test
    void delayHoldsUpEachWay() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.delay(Duration.ofMillis(40));
            long start = System.nanoTime();

            ask(client, "b");

            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(80).toNanos());
        }
    }

    @Test
    void passEndsADelayAtOnce() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.delay(Duration.ofDays(1));
            send(client, "b");

            proxy.pass();

            assertThat(receive(client, 1)).isEqualTo("b");
        }
    }

    @Test
    void slicesArriveWhole() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.slice(3, Duration.ofMillis(10));
            long start = System.nanoTime();

            String answer = ask(client, "0123456789");

            assertThat(answer).isEqualTo("0123456789");
            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(30).toNanos());
        }
    }

    @Test
    void aServerThatIsNotThereEndsTheConnection() throws Exception {
        server.close();
        // As long as a thread is inside accept(), the operating system keeps listening.
        accept.join();
        try (Socket client = connect()) {
            // Closed in order or reset, depending on who was faster.
            assertThatCode(() -> assertThat(client.getInputStream().read()).isEqualTo(-1))
                    .satisfiesAnyOf(
                            e -> assertThat(e).isNull(), e -> assertThat(e).isInstanceOf(SocketException.class));
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout((int) PLENTY.toMillis());
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String receive(Socket socket, int bytes) throws IOException {
        InputStream in = socket.getInputStream();
        return new String(in.readNBytes(bytes), StandardCharsets.US_ASCII);
    }

    private static String ask(Socket socket, String text) throws IOException {
        send(socket, text);
        return receive(socket, text.length());
    }
}
