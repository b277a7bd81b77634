package dev.mandate.peers.runtime;

import dev.mandate.peers.order.MalformedOrderException;
import dev.mandate.peers.order.OrderCodec;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.MalformedMessageException;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.MessageCodec;
import dev.mandate.peers.transport.Transport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of one payload: parts one after the other, each a byte for its kind, its length in four bytes, and that
 * many bytes. A part is a message of the register or a run of messages of the order.
 *
 * @param messages of the register, in their order
 * @param turns of the order, in their order
 */
record Packet(List<Message> messages, List<OrderMessage> turns) {
    private static final byte REGISTER = 1;
    private static final byte TURNS = 2;
    private static final int HEAD_BYTES = 1 + Integer.BYTES;
    private static final int TURNS_BYTES_MAX = 1 << 16;

    /** Writes as few payloads as possible. */
    static List<byte[]> encode(List<Message> messages, List<OrderMessage> turns) {
        List<byte[]> payloads = new ArrayList<>();
        List<byte[]> parts = new ArrayList<>();
        int bytes = 0;
        List<byte[]> all = new ArrayList<>();
        messages.forEach(message -> all.add(part(REGISTER, MessageCodec.write(message))));
        OrderCodec.encode(turns, TURNS_BYTES_MAX).forEach(run -> all.add(part(TURNS, run)));
        for (byte[] part : all) {
            if (bytes + part.length > Transport.PAYLOAD_MAX) {
                payloads.add(joined(parts, bytes));
                parts.clear();
                bytes = 0;
            }
            parts.add(part);
            bytes += part.length;
        }
        if (bytes > 0) {
            payloads.add(joined(parts, bytes));
        }
        return payloads;
    }

    private static byte[] part(byte kind, byte[] content) {
        return ByteBuffer.allocate(HEAD_BYTES + content.length)
                .put(kind)
                .putInt(content.length)
                .put(content)
                .array();
    }

    private static byte[] joined(List<byte[]> parts, int bytes) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        ByteBuffer all = ByteBuffer.allocate(bytes);
        parts.forEach(all::put);
        return all.array();
    }

    /**
     * Reads a payload, whatever it contains.
     *
     * @throws MalformedMessageException if it does not consist of whole, readable parts
     */
    static Packet decode(byte[] payload) throws MalformedMessageException {
        List<Message> messages = new ArrayList<>();
        List<OrderMessage> turns = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(payload);
        while (in.hasRemaining()) {
            if (in.remaining() < HEAD_BYTES) {
                throw new MalformedMessageException("a payload ends within the head of a part");
            }
            byte kind = in.get();
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new MalformedMessageException(
                        "a part of a payload has " + length + " bytes, and " + in.remaining() + " are left");
            }
            ByteBuffer part = in.slice(in.position(), length);
            in.position(in.position() + length);
            if (kind == REGISTER) {
                messages.add(MessageCodec.read(part));
            } else if (kind == TURNS) {
                turns.addAll(turns(part));
            } else {
                throw new MalformedMessageException(
                        "a part of a payload is of kind " + kind + ", the largest is " + TURNS);
            }
        }
        return new Packet(messages, turns);
    }

    private static List<OrderMessage> turns(ByteBuffer part) throws MalformedMessageException {
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        try {
            return OrderCodec.decode(bytes);
        } catch (MalformedOrderException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()), e);
        }
    }
}
