package dev.mandate.peers.runtime;

import dev.mandate.engine.LeaseWindow;
import dev.mandate.internal.SystemClock;
import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.transport.Transport;
import dev.mandate.spi.Ration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Collects what to send until the node's turn is over: what goes to one peer goes in one payload. For one thread. */
final class Outbox {
    private static final long LINES_APART_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final BooleanSupplier ANY_TIME = () -> true;

    private final Transport transport;
    private final LongFunction<@Nullable String> names;
    private final Ration lines = new Ration(LINES_APART_NANOS);
    private final Map<Long, Letter> letters = new LinkedHashMap<>();

    private static final class Letter {
        final List<Message> messages = new ArrayList<>();
        final List<OrderMessage> turns = new ArrayList<>();
        long untilNanos = Long.MAX_VALUE;
    }

    /** Sends by {@code transport}; {@code names} returns a peer's name, null if it has gone. */
    Outbox(Transport transport, LongFunction<@Nullable String> names) {
        this.transport = transport;
        this.names = names;
    }

    private Letter to(long peer) {
        return letters.computeIfAbsent(peer, absent -> new Letter());
    }

    void add(NodeAction.Send send) {
        Letter letter = to(send.to());
        letter.messages.add(send.message());
        letter.untilNanos = Math.min(letter.untilNanos, send.untilNanos());
    }

    void add(NodeAction.SendTurn send) {
        to(send.to()).turns.add(send.message());
    }

    /** Hands everything to the transport, which may drop it: then voters are asked again. */
    void flush() {
        letters.forEach((peer, letter) -> {
            String name = names.apply(peer);
            if (name != null) {
                // The clock may lag by that much.
                BooleanSupplier mayLeave = letter.untilNanos == Long.MAX_VALUE
                        ? ANY_TIME
                        : () -> SystemClock.now().bootNanos() < letter.untilNanos - LeaseWindow.BOOT_COARSE_NANOS;
                try {
                    Packet.encode(letter.messages, letter.turns)
                            .forEach(payload -> transport.send(name, payload, mayLeave));
                } catch (IllegalArgumentException e) {
                    // A message is too long: treated as lost.
                    long times = lines.happened(System.nanoTime());
                    if (times > 0) {
                        NodeLog.log(
                                System.Logger.Level.WARNING,
                                "cannot send to {0}, {1} times so far: {2}",
                                name,
                                times,
                                e);
                    }
                }
            }
        });
        letters.clear();
    }
}
