package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What each side of a connection says about itself, once, signed.
 *
 * @param members the members in the order of the list, in canonical form ({@link PeerAddress}), separated by commas
 * @param terms what else members must agree on; opaque here
 * @param self which member it is; empty for a guest
 * @param startId drawn anew at each start of the process
 * @param to the member that was dialled; an answer repeats it
 */
record Introduction(String members, String terms, String self, Id startId, String to) {
    /** The longest text of each part, in bytes. */
    static final int MEMBERS_MAX = 8_192;

    static final int TERMS_MAX = 256;
    static final int NAME_MAX = 300;

    /** The longest introduction, in bytes. */
    static final int BYTES_MAX = MEMBERS_MAX + TERMS_MAX + 2 * NAME_MAX + 4 * Short.BYTES + 2 * Long.BYTES;

    boolean isMember() {
        return !self.isEmpty();
    }

    /** The name that others know it by: the member's, or one that a guest keeps as long as it runs. */
    String name() {
        return isMember() ? self : "guest-" + startId;
    }

    /** The same for people, for whom a guest's name is useless. */
    String shortName() {
        return isMember() ? self : "a guest";
    }

    Peer peer() {
        return new Peer(name(), startId, isMember());
    }

    void write(ByteBuffer out) {
        write(members, out);
        write(terms, out);
        write(self, out);
        write(to, out);
        out.putLong(startId.high()).putLong(startId.low());
    }

    private static void write(String text, ByteBuffer out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putShort((short) bytes.length).put(bytes);
    }

    /**
     * Reads a signed introduction.
     *
     * @throws FrameException if it is cut off, or a part is too long or not printable ASCII
     */
    static Introduction read(ByteBuffer in) throws FrameException {
        try {
            String members = read("list of members", MEMBERS_MAX, in);
            String terms = read("terms", TERMS_MAX, in);
            String self = read("own name", NAME_MAX, in);
            String to = read("name that was dialled", NAME_MAX, in);
            return new Introduction(members, terms, self, new Id(in.getLong(), in.getLong()), to);
        } catch (BufferUnderflowException e) {
            throw new FrameException("an introduction is cut off");
        }
    }

    private static String read(String what, int max, ByteBuffer in) throws FrameException {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > max) {
            throw new FrameException("the " + what + " in an introduction has " + length + " bytes; at most " + max);
        }
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        for (byte each : bytes) {
            if (each < ' ' || each > '~') {
                throw new FrameException("the " + what + " in an introduction is not printable ASCII");
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
