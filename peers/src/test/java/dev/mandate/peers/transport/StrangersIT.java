package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Strangers by the million: memory and threads stay bounded, and members do not notice. */
@Isolated("counts memory and threads")
@Tag("long")
class StrangersIT {
    private static final int FRAMES = 1_000_000;
    private static final int SILENT = 10_000;
    private static final int FRAMES_EACH = 100;
    private static final int WAVE = 2_000;
    private static final long HEAP_GROWTH_MAX = 24L << 20;
    /**
     * Two loops, and what comes and goes: for each one lookup, one that reads the secret, and one that writes the log.
     */
    private static final int THREADS_MAX = 8;

    private static final LinkPace PACE = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofSeconds(1),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30));

    /** Two members, of which one answers each payload, and the other one sends the next one then. */
    private static final class Pair implements AutoCloseable {
        private final TestGroup group = TestGroup.of(2).pace(PACE);
        private final AtomicLong rounds = new AtomicLong();
        private final Recorder here = new Recorder();
        private final Recorder there = new Recorder();
        private final Transport first;
        private final Transport second;
        private final long heap;

        Pair() {
            first = group.open(0, new Ball(here, () -> send(0, 1)));
            second = group.open(1, new Ball(there, () -> send(1, 0)));
            here.awaitConnected(group.id(1));
            there.awaitConnected(group.id(0));
            Await.until("the first payload", TestGroup.PLENTY, () -> first.send(group.id(1), new byte[100]));
            awaitRounds(100);
            heap = heap();
        }

        private void send(int from, int to) {
            rounds.incrementAndGet();
            (from == 0 ? first : second).send(group.id(to), new byte[100]);
        }

        void awaitRounds(long more) {
            long wanted = rounds.get() + more;
            Await.until("members to exchange", TestGroup.PLENTY, () -> rounds.get() >= wanted);
        }

        PeerAddress target() {
            return group.member(0);
        }

        void assertUndisturbed() {
            awaitRounds(100);
            assertThat(here.disconnected).isEmpty();
            assertThat(there.disconnected).isEmpty();
            assertThat(here.refused).isEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().contains(group.id(0))
                            || thread.getName().contains(group.id(1)))
                    .hasSizeLessThanOrEqualTo(THREADS_MAX);
            assertThat(heap() - heap).isLessThan(HEAP_GROWTH_MAX);
            assertThat(group.log().all()).hasSizeLessThan(60);
        }

        private static long heap() {
            System.gc();
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }

        @Override
        public void close() {
            group.close();
        }
    }

    private record Ball(Recorder to, Runnable next) implements TransportListener {
        @Override
        public void connected(Peer peer) {
            to.connected(peer);
        }

        @Override
        public void disconnected(Peer peer, String reason) {
            to.disconnected(peer, reason);
        }

        @Override
        public void received(Peer peer, byte[] payload) {
            next.run();
        }

        @Override
        public void refused(Peer peer, Refusal refusal) {
            to.refused(peer, refusal);
        }
    }

    @Test
    void aMillionHostileFramesDisturbNobody() throws Exception {
        try (Pair pair = new Pair()) {
            Introduction guest =
                    pair.group.settings(-1).introduction(pair.target().toString());
            Introduction member = pair.group.settings(0).introduction("");
            Noise noise = new Noise(42, Noise.conversation(guest, member, TestGroup.SECRET));
            int connections = FRAMES / FRAMES_EACH;
            for (int i = 1; i <= connections; i++) {
                // Each connection begins with another frame of the same kind, some with a handshake that is right so
                // far.
                Noise.Kind kind = Noise.Kind.values()[i % Noise.Kind.values().length];
                boolean isGreeting = i % 3 == 0;
                ByteBuffer frames = ByteBuffer.allocate(FRAMES_EACH * 1_024);
                for (int j = 0; j < FRAMES_EACH; j++) {
                    byte[] frame = j == 0 && isGreeting ? hello(guest) : noise.frame(kind);
                    frames.put(frame);
                }
                attack(pair.target(), i, java.util.Arrays.copyOf(frames.array(), frames.position()));
                if (i % WAVE == 0) {
                    pair.assertUndisturbed();
                }
            }
            Await.until("all connections to be closed", TestGroup.PLENTY, () -> pair.first.strangers() >= connections);
            pair.assertUndisturbed();
        }
    }

    private static byte[] hello(Introduction from) {
        return new InitiatorHandshake(
                        from,
                        TestGroup.SECRET.keys().get(0),
                        new byte[Handshake.NONCE],
                        any -> java.util.Optional.empty())
                .hello();
    }

    /** From one of many addresses, so that ports last. */
    private static void attack(PeerAddress target, int number, byte[] frames) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress("127.0.0." + (2 + number % 200), 0));
            socket.setSoTimeout((int) TestGroup.PLENTY.toMillis());
            socket.connect(new InetSocketAddress(target.host(), target.port()));
            write(socket, frames);
            // Else what was not read yet would be thrown away with the connection.
            finish(socket);
            awaitEnd(socket);
        }
    }

    private static void write(Socket socket, byte[] frames) {
        try {
            socket.getOutputStream().write(frames);
        } catch (IOException e) {
            // Closed at the first frame already.
        }
    }

    private static void finish(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // Closed at the first frame already.
        }
    }

    /** Waits until the other side closes it, by itself. */
    private static void awaitEnd(Socket socket) {
        try {
            byte[] bytes = new byte[1_000];
            while (socket.getInputStream().read(bytes) >= 0) {
                continue;
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("a connection of a stranger stays open", e);
        } catch (IOException e) {
            // Reset.
        }
    }

    @Test
    void guestsThatTurnHostileDisturbNobodyElse() throws Exception {
        try (Pair pair = new Pair()) {
            for (int i = 0; i < 500; i++) {
                try (RawPeer raw = RawPeer.silent(pair.target())) {
                    TransportSettings guest = pair.group.settings(-1);
                    assertThat(raw.introduce(guest, pair.target(), TestGroup.SECRET))
                            .isEmpty();
                    byte[] good = raw.sealed(FrameType.DATA, new byte[10]);
                    ByteBuffer frames = ByteBuffer.allocate(good.length * 200);
                    while (frames.hasRemaining()) {
                        frames.put(good);
                    }
                    try {
                        raw.write(frames.array());
                    } catch (IOException e) {
                        // Closed at the first frame that was repeated.
                    }
                    raw.awaitClosed();
                }
            }
            Await.until(
                    "guests to be gone",
                    TestGroup.PLENTY,
                    () -> pair.first.status().size() == 1);
            // The listener is told after the status shows it, before anything else arrives.
            pair.awaitRounds(100);
            assertThat(pair.here.disconnected)
                    .hasSizeGreaterThanOrEqualTo(500)
                    .noneMatch(ended -> ended.peer().isMember());
            pair.here.disconnected.clear();
            pair.here.connected.clear();
            pair.assertUndisturbed();
        }
    }

    @Test
    void tenThousandSilentConnectionsAreClosed() throws Exception {
        try (Pair pair = new Pair()) {
            int wave = (int) Math.min(WAVE, descriptorsLeft() / 4);
            assertThat(wave).as("descriptors are too few for this test").isGreaterThan(50);
            int opened = 0;
            while (opened < SILENT) {
                List<SocketChannel> silent = new ArrayList<>();
                try {
                    for (int i = 0; i < wave && opened < SILENT; i++, opened++) {
                        SocketChannel one = SocketChannel.open();
                        silent.add(one);
                        one.bind(new InetSocketAddress("127.0.0." + (2 + opened % 200), 0));
                        one.setOption(StandardSocketOptions.SO_LINGER, 0);
                        one.connect(new InetSocketAddress(
                                pair.target().host(), pair.target().port()));
                    }
                    pair.assertUndisturbed();
                    for (SocketChannel each : silent) {
                        awaitEnd(each);
                    }
                } finally {
                    for (SocketChannel each : silent) {
                        each.close();
                    }
                }
            }
            Await.until("all to be counted", TestGroup.PLENTY, () -> pair.first.strangers() >= SILENT);
            pair.assertUndisturbed();
        }
    }

    private static void awaitEnd(SocketChannel silent) throws IOException {
        silent.socket().setSoTimeout((int) TestGroup.PLENTY.toMillis());
        awaitEnd(silent.socket());
    }

    private static long descriptorsLeft() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
                : 4_000;
    }

    @Test
    void aMillionHostileFramesOneByOneAreRefused() throws Exception {
        TestGroup group = TestGroup.of(2);
        Introduction guest = group.settings(-1).introduction(group.id(0));
        Introduction member = group.settings(0).introduction("");
        Noise noise = new Noise(7, Noise.conversation(guest, member, TestGroup.SECRET));
        long[] refused = new long[Noise.Kind.values().length];
        byte[] nonce = new byte[Handshake.NONCE];
        nonce[0] = 1;
        Budget budget = new Budget(1 << 20);
        ResponderHandshake handshake = null;
        for (int i = 0; i < FRAMES; i++) {
            Noise.Kind kind = noise.kind();
            byte[] frame = noise.frame(kind);
            if (handshake == null) {
                handshake = new ResponderHandshake(
                        member, TestGroup.SECRET.keys(), nonce, any -> java.util.Optional.empty());
            }
            HandshakeStep step = judged(handshake, frame, budget);
            assertThat(step instanceof HandshakeStep.Established).isFalse();
            // A genuine first frame gets its answer, whoever sends it; what follows must not fit it.
            if (!(step instanceof HandshakeStep.Send)) {
                refused[kind.ordinal()]++;
                handshake = null;
            }
            assertThat(budget.taken()).isZero();
        }
        for (Noise.Kind kind : Noise.Kind.values()) {
            assertThat(refused[kind.ordinal()]).as(kind.name()).isGreaterThan(FRAMES / 10L);
        }
    }

    /** What a listening side does with a frame; null if it would close the connection, or wait for its rest. */
    private static HandshakeStep judged(Handshake handshake, byte[] frame, Budget budget) {
        FrameDecoder decoder = new FrameDecoder(Handshake.PROOF_MAX, budget);
        try {
            ByteBuffer content = decoder.next(ByteBuffer.wrap(frame));
            return content == null ? null : handshake.on(content);
        } catch (FrameException e) {
            return null;
        } finally {
            decoder.release();
        }
    }
}
