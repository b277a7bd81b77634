package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages of orders as bytes: one after the other, so that one frame serves many elections. Numbers are big-endian.
 *
 * <pre>
 * message = kind (1), length of path (2), path of the key (UTF-8), fields
 * 1 ELECTION     round (8)
 * 2 ALIVE        round (8)
 * 3 PASS         round (8)
 * 4 COORDINATOR
 * 5 PREEMPT      term (8)
 * 6 TOKEN        round (8), starter (1), lap (1: 0 collects, 1 announces), campaigning (8)
 * 7 ARRIVED      round (8), starter (1), lap (1)
 * </pre>
 *
 * <p>Pure and stateless.
 */
public final class OrderCodec {
    /** The longest path of a key that is written or read; an election's has at most 1,545 bytes. */
    public static final int PATH_BYTES_MAX = 4096;

    /** The most bytes that one message takes. */
    public static final int MESSAGE_BYTES_MAX = 1 + 2 + PATH_BYTES_MAX + 8 + 1 + 1 + 8;

    private static final byte ELECTION = 1;
    private static final byte ALIVE = 2;
    private static final byte PASS = 3;
    private static final byte COORDINATOR = 4;
    private static final byte PREEMPT = 5;
    private static final byte TOKEN = 6;
    private static final byte ARRIVED = 7;

    private OrderCodec() {}

    /**
     * Writes {@code messages}, in as few parts as their order allows.
     *
     * @param partBytesMax the most bytes in a part, at least {@link #MESSAGE_BYTES_MAX}
     * @throws IllegalArgumentException if that is less, or the path of a key is longer than {@link #PATH_BYTES_MAX}
     */
    public static List<byte[]> encode(List<? extends OrderMessage> messages, int partBytesMax) {
        if (partBytesMax < MESSAGE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a part has at most " + partBytesMax + " bytes; it must have room for " + MESSAGE_BYTES_MAX);
        }
        List<byte[]> parts = new ArrayList<>();
        ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES_MAX);
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        for (OrderMessage each : messages) {
            message.clear();
            write(each, message);
            if (part.size() + message.position() > partBytesMax) {
                parts.add(part.toByteArray());
                part.reset();
            }
            part.write(message.array(), 0, message.position());
        }
        if (part.size() > 0) {
            parts.add(part.toByteArray());
        }
        return parts;
    }

    /**
     * Reads one part. It may contain as many messages as its bytes allow, at least four bytes each.
     *
     * @throws MalformedOrderException if {@code part} is anything but whole messages
     */
    public static List<OrderMessage> decode(byte[] part) throws MalformedOrderException {
        ByteBuffer in = ByteBuffer.wrap(part);
        List<OrderMessage> messages = new ArrayList<>();
        while (in.hasRemaining()) {
            messages.add(read(in));
        }
        return messages;
    }

    // ---- writing ----

    private static void write(OrderMessage message, ByteBuffer out) {
        if (message instanceof OrderMessage.Election e) {
            head(ELECTION, e.key(), out).putLong(e.round());
        } else if (message instanceof OrderMessage.Alive e) {
            head(ALIVE, e.key(), out).putLong(e.round());
        } else if (message instanceof OrderMessage.Pass e) {
            head(PASS, e.key(), out).putLong(e.round());
        } else if (message instanceof OrderMessage.Coordinator e) {
            head(COORDINATOR, e.key(), out);
        } else if (message instanceof OrderMessage.Preempt e) {
            head(PREEMPT, e.key(), out).putLong(e.term());
        } else if (message instanceof OrderMessage.Token e) {
            lap(TOKEN, e.key(), e.round(), e.starter(), e.announcing(), out).putLong(e.campaigning());
        } else if (message instanceof OrderMessage.TokenArrived e) {
            lap(ARRIVED, e.key(), e.round(), e.starter(), e.announcing(), out);
        } else {
            throw new AssertionError("unknown message " + message);
        }
    }

    private static ByteBuffer head(byte kind, RecordKey key, ByteBuffer out) {
        byte[] path = key.path().getBytes(StandardCharsets.UTF_8);
        if (path.length > PATH_BYTES_MAX) {
            throw new IllegalArgumentException("the path of the key " + key.space() + "/… has " + path.length
                    + " bytes; the limit is " + PATH_BYTES_MAX);
        }
        return out.put(kind).putShort((short) path.length).put(path);
    }

    private static ByteBuffer lap(
            byte kind, RecordKey key, long round, int starter, boolean announcing, ByteBuffer out) {
        return head(kind, key, out).putLong(round).put((byte) starter).put((byte) (announcing ? 1 : 0));
    }

    // ---- reading ----

    private static OrderMessage read(ByteBuffer in) throws MalformedOrderException {
        int at = in.position();
        byte kind = in.get();
        int fields = switch (kind) {
            case ELECTION, ALIVE, PASS, PREEMPT -> 8;
            case COORDINATOR -> 0;
            case TOKEN -> 18;
            case ARRIVED -> 10;
            default ->
                throw new MalformedOrderException("message of kind " + kind + " at byte " + at + "; kinds are 1 to 7");
        };
        RecordKey key = readKey(in);
        if (in.remaining() < fields) {
            throw new MalformedOrderException("message of kind " + kind + " at byte " + at + " ends after "
                    + in.remaining() + " bytes of its fields; it has " + fields);
        }
        return switch (kind) {
            case ELECTION -> new OrderMessage.Election(key, in.getLong());
            case ALIVE -> new OrderMessage.Alive(key, in.getLong());
            case PASS -> new OrderMessage.Pass(key, in.getLong());
            case COORDINATOR -> new OrderMessage.Coordinator(key);
            case PREEMPT -> new OrderMessage.Preempt(key, readTerm(in));
            case TOKEN -> new OrderMessage.Token(key, in.getLong(), readStarter(in), readLap(in), in.getLong());
            default -> new OrderMessage.TokenArrived(key, in.getLong(), readStarter(in), readLap(in));
        };
    }

    private static RecordKey readKey(ByteBuffer in) throws MalformedOrderException {
        int length = in.remaining() < 2 ? -1 : in.getShort() & 0xFFFF;
        if (length < 0 || length > Math.min(PATH_BYTES_MAX, in.remaining())) {
            throw new MalformedOrderException("the path of a key has " + (length < 0 ? "no length" : length + " bytes")
                    + "; the limit is " + PATH_BYTES_MAX + ", and " + in.remaining() + " are left");
        }
        String path = new String(in.array(), in.position(), length, StandardCharsets.UTF_8);
        in.position(in.position() + length);
        RecordKey key;
        try {
            key = RecordKey.parse(path);
        } catch (IllegalArgumentException e) {
            // The message of the cause quotes the path, which may be anything.
            throw new MalformedOrderException("a path of " + length + " bytes is not the path of a key");
        }
        if (key.segments().isEmpty()) {
            throw new MalformedOrderException("a path of " + length + " bytes names no election");
        }
        return key;
    }

    private static long readTerm(ByteBuffer in) throws MalformedOrderException {
        long term = in.getLong();
        if (term < 1) {
            throw new MalformedOrderException("the term to end is " + term + "; it must be more than 0");
        }
        return term;
    }

    private static int readStarter(ByteBuffer in) throws MalformedOrderException {
        int starter = in.get();
        if (starter < 0 || starter >= Order.MEMBERS_MAX) {
            throw new MalformedOrderException(
                    "the starter is member " + starter + "; it must be 0 to " + (Order.MEMBERS_MAX - 1));
        }
        return starter;
    }

    private static boolean readLap(ByteBuffer in) throws MalformedOrderException {
        byte lap = in.get();
        if (lap != 0 && lap != 1) {
            throw new MalformedOrderException("the lap is " + lap + "; it must be 0 or 1");
        }
        return lap == 1;
    }
}
