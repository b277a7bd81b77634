package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import dev.mandate.support.RotatingSecret;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerPorts;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Members on loopback, and what they have in common. */
final class TestGroup implements AutoCloseable {
    static final Duration PLENTY = Duration.ofSeconds(60);
    static final GroupSecret SECRET = GroupSecret.parse("0123456789abcdef0123456789abcdef");

    /** Quick enough for tests, long enough for a busy machine. */
    static final LinkPace PACE = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofSeconds(20),
            Duration.ofSeconds(20));

    /** Silence is noticed soon: for tests in which somebody is silent for good. */
    static final LinkPace IMPATIENT = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofMillis(500),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofMillis(500));

    private static final Random RANDOM = new Random();

    private final List<PeerAddress> members = new ArrayList<>();
    private final List<Transport> open = new ArrayList<>();
    private @Nullable RotatingSecret<GroupSecret> secret = RotatingSecret.fixed(SECRET);
    private LinkPace pace = PACE;
    private LinkLimits limits = LinkLimits.defaults();
    private Lookups.Resolver resolver = InetAddress::getAllByName;
    private final Lines log = new Lines();

    /** Hosts, one member on each. */
    TestGroup(String... hosts) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < hosts.length; i++) {
            names.add("member" + i);
        }
        List<Integer> ports = List.copyOf(ServerPorts.choose(names).values());
        for (int i = 0; i < hosts.length; i++) {
            members.add(new PeerAddress(hosts[i], ports.get(i)));
        }
    }

    /** Members that are reached at these ports of 127.0.0.1. */
    static TestGroup at(int... ports) {
        TestGroup group = new TestGroup();
        for (int port : ports) {
            group.members.add(new PeerAddress("127.0.0.1", port));
        }
        return group;
    }

    static TestGroup of(int members) {
        String[] hosts = new String[members];
        java.util.Arrays.fill(hosts, "127.0.0.1");
        return new TestGroup(hosts);
    }

    TestGroup secret(@Nullable RotatingSecret<GroupSecret> other) {
        this.secret = other;
        return this;
    }

    TestGroup pace(LinkPace other) {
        this.pace = other;
        return this;
    }

    TestGroup limits(LinkLimits other) {
        this.limits = other;
        return this;
    }

    TestGroup resolver(Lookups.Resolver other) {
        this.resolver = other;
        return this;
    }

    /** What all of them write to the log. */
    Lines log() {
        return log;
    }

    PeerAddress member(int index) {
        return members.get(index);
    }

    String id(int index) {
        return members.get(index).toString();
    }

    static Id anyId() {
        return new Id(RANDOM.nextLong(), RANDOM.nextLong());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void assertExchange(Transport from, String to, Recorder told, String text) {
        Await.until("a link", PLENTY, () -> from.send(to, bytes(text)));
        told.awaitText(text);
    }

    static boolean isRunning(String thread) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(thread));
    }

    /** The settings of a member, or of a guest if {@code self} is negative. */
    TransportSettings settings(int self) {
        return new TransportSettings(
                members, self < 0 ? null : member(self), null, secret, anyId(), "maxLease=10s", pace, limits);
    }

    /** The same for a member that listens elsewhere than others reach it. */
    TransportSettings settings(int self, PeerAddress bind) {
        return new TransportSettings(members, member(self), bind, secret, anyId(), "maxLease=10s", pace, limits);
    }

    Transport open(int self, TransportListener listener) {
        return open(settings(self), listener);
    }

    Transport open(TransportSettings settings, TransportListener listener) {
        Transport transport = Transport.open(settings, listener, resolver, log);
        open.add(transport);
        return transport;
    }

    @Override
    public void close() {
        open.forEach(Transport::close);
    }
}
