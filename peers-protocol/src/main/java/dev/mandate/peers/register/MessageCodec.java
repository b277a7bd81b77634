package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of a {@link Message}: a byte for the version, a byte for the kind, then the fields in order; numbers
 * in network order, texts preceded by their length. Thread-safe.
 *
 * <p>Reading is safe on hostile bytes: it returns a message or throws one {@link MalformedMessageException}, and
 * allocates at most a small multiple of their number.
 */
public final class MessageCodec {
    /** The version written here, and the only one that is read. */
    public static final int VERSION = 1;

    /** The longest message, in bytes; leaves room for what a transport adds within 1 MiB. */
    public static final int BYTES_MAX = (1 << 20) - 1024;

    private MessageCodec() {}

    /**
     * Writes a message.
     *
     * @throws IllegalArgumentException if it would be longer than {@link #BYTES_MAX}
     */
    public static byte[] write(Message message) {
        Wire.Out out = new Wire.Out(BYTES_MAX).put(VERSION);
        if (message instanceof Message.Look look) {
            out.put(0).put(look.call()).putInt(look.round()).put(look.key());
        } else if (message instanceof Message.Shown shown) {
            out.put(1).put(shown.call()).putInt(shown.round()).put(shown.vote()).putLong(shown.promised());
        } else if (message instanceof Message.Prepare prepare) {
            out.put(2).put(prepare.key()).put(prepare.epoch());
        } else if (message instanceof Message.Promise promise) {
            out.put(3)
                    .put(promise.epoch())
                    .put(promise.start())
                    .putStarts(promise.known())
                    .put(promise.vote())
                    .putLong(promise.ageNanos());
        } else if (message instanceof Message.Accept accept) {
            out.put(4).put(accept.key()).put(accept.epoch()).put(accept.value()).putLong(accept.ageNanos());
        } else if (message instanceof Message.Accepted accepted) {
            out.put(5).put(accepted.epoch());
        } else if (message instanceof Message.Refusal refusal) {
            out.put(6).put(refusal.epoch()).put(refusal.reason().ordinal()).putLong(refusal.promised());
        } else if (message instanceof Message.ListKeys list) {
            out.put(7).put(list.call()).put(list.prefix()).put(list.after()).putInt(list.limit());
        } else if (message instanceof Message.Listed listed) {
            out.put(8).put(listed.call()).put(listed.after()).put(listed.isLast() ? 1 : 0);
            out.putInt(listed.votes().size());
            listed.votes().forEach(at -> out.put(at.key()).put(at.vote()));
        } else if (message instanceof Message.Join join) {
            out.put(9).put(join.voter()).put(join.start()).put(join.covers()).putIds(join.attempts());
        } else if (message instanceof Message.Welcome welcome) {
            out.put(10)
                    .put(welcome.voter())
                    .put(welcome.start())
                    .put(welcome.own())
                    .put(welcome.known());
            out.put(welcome.ceiling().ordinal()).putLong(welcome.height());
            out.putIds(welcome.founders()).putStarts(welcome.starts());
        } else if (message instanceof Message.AskStatus ask) {
            out.put(11).put(ask.call());
        } else if (message instanceof Message.Status status) {
            out.put(12).put(status.call()).put(status.phase().ordinal()).putLong(status.ceiling());
            out.putLong(status.quarantineNanos())
                    .putLong(status.quarantineLeftNanos())
                    .putInt(status.keys())
                    .putLong(status.links())
                    .put(status.disagrees() ? 1 : 0);
        }
        return out.toBytes();
    }

    /**
     * Reads a message: all of {@code bytes}.
     *
     * @throws MalformedMessageException if it is none
     */
    public static Message read(ByteBuffer bytes) throws MalformedMessageException {
        if (bytes.remaining() > BYTES_MAX) {
            throw new MalformedMessageException(
                    "a message has " + bytes.remaining() + " bytes; the limit is " + BYTES_MAX);
        }
        Wire.In in = new Wire.In(bytes);
        try {
            int version = in.get();
            if (version != VERSION) {
                throw new IllegalArgumentException(
                        "its version is " + version + ", this is version " + VERSION + "; run one version everywhere");
            }
            Message message = body(in);
            if (in.remaining() > 0) {
                throw new IllegalArgumentException(in.remaining() + " bytes follow its end");
            }
            return message;
        } catch (BufferUnderflowException e) {
            throw new MalformedMessageException("a message ends too early", e);
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException("a message cannot be read: " + e.getMessage(), e);
        }
    }

    private static Message body(Wire.In in) {
        int kind = in.get();
        return switch (kind) {
            case 0 -> new Message.Look(in.id(), in.getInt(), in.key());
            case 1 -> new Message.Shown(in.id(), in.getInt(), in.vote(), in.counter());
            case 2 -> new Message.Prepare(in.key(), in.epoch());
            case 3 -> new Message.Promise(in.epoch(), in.start(), in.starts(), in.vote(), in.age());
            case 4 -> new Message.Accept(in.key(), in.epoch(), in.value(), in.age());
            case 5 -> new Message.Accepted(in.epoch());
            case 6 ->
                new Message.Refusal(
                        in.epoch(),
                        Message.Reason.values()[in.get(Message.Reason.values().length - 1, "a reason")],
                        in.counter());
            case 7 -> new Message.ListKeys(in.id(), in.key(), in.text(), in.getInt());
            case 8 -> listed(in);
            case 9 ->
                new Message.Join(
                        in.get(Group.VOTERS_MAX - 1, "a place"),
                        in.start(),
                        in.start(),
                        in.ids(DurableState.ATTEMPTS_MAX));
            case 10 ->
                new Message.Welcome(
                        in.get(Group.VOTERS_MAX - 1, "a place"),
                        in.start(),
                        in.start(),
                        in.start(),
                        Message.Ceiling.values()[in.get(Message.Ceiling.values().length - 1, "a kind of ceiling")],
                        in.counter(),
                        in.ids(Group.VOTERS_MAX),
                        in.starts());
            case 11 -> new Message.AskStatus(in.id());
            case 12 ->
                new Message.Status(
                        in.id(),
                        VoterStatus.Phase.values()[in.get(VoterStatus.Phase.values().length - 1, "a phase")],
                        in.counter(),
                        in.getLong(),
                        in.getLong(),
                        in.getInt(),
                        in.getLong(),
                        in.get(1, "whether members disagree") == 1);
            default -> throw new IllegalArgumentException("its kind is " + kind + ", the largest is 12");
        };
    }

    private static Message listed(Wire.In in) {
        Id call = in.id();
        String after = in.text();
        boolean isLast = in.flag();
        int count = in.getInt();
        if (count < 0 || count > KeyTable.PAGE_MAX) {
            throw new IllegalArgumentException("a page of " + count + " keys; the limit is " + KeyTable.PAGE_MAX);
        }
        List<Message.Listed.At> votes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RecordKey key = in.key();
            Vote vote = in.vote();
            if (vote == null) {
                throw new IllegalArgumentException("a page names a key without a vote");
            }
            votes.add(new Message.Listed.At(key, vote));
        }
        return new Message.Listed(call, after, votes, isLast);
    }
}
