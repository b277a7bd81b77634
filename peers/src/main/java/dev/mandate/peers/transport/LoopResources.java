package dev.mandate.peers.transport;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** What all connections of one loop share. */
final class LoopResources {
    private static final int BUFFER_BYTES = 64 * 1024;

    /** Kept small: what the kernel holds leaves even if it must not leave any more. */
    private static final int SEND_BUFFER_BYTES = 256 * 1024;

    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int KEEP_ALIVE_EACH_SECONDS = 10;
    private static final int KEEP_ALIVE_TRIES = 3;

    private final SelectorLoop loop;
    private final LinkPace pace;
    private final Budget partial;
    private final Budget membersPartial = new Budget(Long.MAX_VALUE);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

    LoopResources(SelectorLoop loop, LinkPace pace, long partialBytes) {
        this.loop = loop;
        this.pace = pace;
        this.partial = new Budget(partialBytes);
    }

    SelectorLoop loop() {
        return loop;
    }

    LinkPace pace() {
        return pace;
    }

    /** For incomplete frames of strangers and guests. */
    Budget partial() {
        return partial;
    }

    /** For those of members: bounded only by members and frames, so that guests can't use it up. */
    Budget membersPartial() {
        return membersPartial;
    }

    /** For reading; the next read overwrites it. */
    ByteBuffer in() {
        return in;
    }

    /** For sealing frames. */
    ByteBuffer out() {
        return out;
    }

    /**
     * Frames leave at once. The kernel, not this process, takes care of idle connections: it notices that a host has
     * gone, and keeps routers from forgetting them.
     */
    void tune(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        set(channel, ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
        set(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_EACH_SECONDS);
        set(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_TRIES);
    }

    private static void set(SocketChannel channel, SocketOption<Integer> option, int value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }
}
