package dev.mandate.etcd;

import dev.mandate.support.StoreAuthority.Host;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The members of the cluster. All calls go to the current one as long as it answers; after a failed call, the next
 * member takes over. So calls are not spread over members of which one may be frozen.
 */
final class Endpoints {
    private static final int INBOUND_BYTES_MAX = 32 << 20;
    private static final int CONNECT_MILLIS = 5_000;
    /** Every server allows pings this rare. Without them, only calls would notice a vanished connection. */
    private static final long PING_SECONDS = 10;

    private static final long PING_ANSWER_SECONDS = 5;
    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_MILLIS = 2_000;

    private final List<Member> members = new ArrayList<>();
    private final AtomicInteger current = new AtomicInteger();
    private final Consumer<Member> left;

    /** {@code left} receives a member when another takes over from it. */
    Endpoints(EtcdSettings settings, Executor worker, Consumer<Member> left) {
        this.left = left;
        for (Host host : settings.hosts()) {
            String name = host.name().startsWith("[")
                    ? host.name().substring(1, host.name().length() - 1)
                    : host.name();
            NettyChannelBuilder builder = NettyChannelBuilder.forAddress(name, host.port(), settings.channel())
                    .executor(worker)
                    .disableRetry()
                    .disableServiceConfigLookUp()
                    // Otherwise https.proxyHost, meant for the web, would apply.
                    .proxyDetector(target -> null)
                    .maxInboundMessageSize(INBOUND_BYTES_MAX)
                    .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                    .keepAliveTimeout(PING_ANSWER_SECONDS, TimeUnit.SECONDS)
                    .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                    .userAgent("mandate");
            if (settings.serverName() != null) {
                builder.overrideAuthority(settings.serverName());
            }
            members.add(new Member(host, builder.build()));
        }
    }

    /** One member and its connection, which is opened when first needed. */
    static final class Member {
        final Host host;
        final ManagedChannel channel;
        private final AtomicLong reconnectedNanos = new AtomicLong(System.nanoTime() - RENEW_NANOS);
        private final AtomicLong renewedNanos = new AtomicLong(System.nanoTime() - RENEW_NANOS);

        Member(Host host, ManagedChannel channel) {
            this.host = host;
            this.channel = channel;
        }

        /** Whether {@code nanos} have passed since this was last true. */
        private static boolean isDue(AtomicLong last, long nanos) {
            long was = last.get();
            long now = System.nanoTime();
            return now - was >= nanos && last.compareAndSet(was, now);
        }
    }

    Member current() {
        return members.get(current.get());
    }

    /** A call to {@code member} ended without an answer from the server. Reconnects are rate-limited. */
    void failed(Member member, Status.Code code) {
        boolean isSlow = code == Status.Code.DEADLINE_EXCEEDED;
        int at = members.indexOf(member);
        int next = after(at, isSlow);
        if (current.compareAndSet(at, next) && next != at) {
            left.accept(member);
        }
        if (isSlow) {
            // The connection may hang, not the server, so the next call opens another one. A connection still being
            // made is kept, or a slow handshake would never finish.
            boolean isOpen = member.channel.getState(false) == ConnectivityState.READY;
            if (isOpen && Member.isDue(member.renewedNanos, RENEW_NANOS)) {
                member.channel.enterIdle();
            }
        } else if (Member.isDue(member.reconnectedNanos, RECONNECT_NANOS)) {
            // Otherwise gRPC could wait up to two minutes before it reconnects.
            member.channel.resetConnectBackoff();
        }
    }

    /**
     * The member after {@code failed}: the next one not known to be down. If all others are down, a slow member stays
     * the current one; from one that is down, the next takes over.
     */
    private int after(int failed, boolean isSlow) {
        int count = members.size();
        for (int i = 1; i < count; i++) {
            int next = (failed + i) % count;
            if (members.get(next).channel.getState(false) != ConnectivityState.TRANSIENT_FAILURE) {
                return next;
            }
        }
        return isSlow ? failed : (failed + 1) % count;
    }

    /** All members, in the order of the URL. */
    List<Member> all() {
        return List.copyOf(members);
    }

    /** Ends all calls, within two seconds. */
    void close() {
        members.forEach(member -> member.channel.shutdownNow());
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        try {
            for (Member member : members) {
                member.channel.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
