package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One socket: first a handshake, then sealed frames. Used only on its loop's thread. */
final class Connection implements SelectorLoop.Ready {
    /** How many bytes to read from one socket before the next has its turn. */
    private static final int TURN_BYTES = 256 * 1024;

    private static final int STAMP = Long.BYTES;

    /** What a connection reports. */
    interface Owner {
        /** The other side is known and welcome. */
        void established(Connection connection, Introduction theirs);

        /** The other side is not welcome, or does not want this one; {@link #closed} follows. */
        void refused(Connection connection, @Nullable Introduction theirs, Refusal refusal);

        /** A payload came. */
        void received(Connection connection, byte[] payload);

        /** The answer to the question asked at {@code askedNanos} came. */
        void answered(Connection connection, long askedNanos);

        /** The connection is over. Called once. */
        void closed(Connection connection, String reason);

        /** The next payload for this connection; null if there is none, or another connection is used now. */
        byte @Nullable [] peek(Connection connection);

        /** What {@link #peek} returned is sealed. */
        void pop(Connection connection);
    }

    private final SocketChannel channel;
    private final LoopResources resources;
    private final Owner owner;
    private final boolean isDialled;
    private final FrameWriter writer;
    private final Timers.Timer deadline;
    private final Liveness liveness;
    private final Outgoing outgoing = new Outgoing();
    private final Handshake handshake;

    private @Nullable SelectionKey key;
    private FrameDecoder decoder;
    private @Nullable FrameSeal sealing;
    private @Nullable FrameSeal opening;
    private String waitsFor;
    private boolean isClosed;
    private boolean isClosedByOther;

    /**
     * A connection that {@link #open} begins.
     *
     * @param channel not connected yet, if {@code handshake} is an initiator's
     */
    Connection(SocketChannel channel, LoopResources resources, Handshake handshake, Owner owner) {
        this.channel = channel;
        this.resources = resources;
        this.owner = owner;
        this.handshake = handshake;
        this.isDialled = handshake instanceof InitiatorHandshake;
        this.writer = new FrameWriter(channel, resources.out());
        this.deadline = resources.loop().timers().timer(this::expired);
        this.liveness = new Liveness(
                resources.pace().probeAfter().toNanos(),
                resources.pace().probeTimeout().toNanos());
        this.decoder = new FrameDecoder(isDialled ? Handshake.FRAME_MAX : Handshake.PROOF_MAX, resources.partial());
        this.waitsFor = "a connection";
    }

    /** Begins by connecting to {@code to} or, if that is null, by waiting for the first frame. */
    void open(@Nullable InetSocketAddress to) {
        try {
            long timeout = (to == null
                            ? resources.pace().handshake()
                            : resources.pace().connect())
                    .toNanos();
            deadline.at(System.nanoTime() + timeout);
            if (to == null) {
                waitsFor = "a handshake";
                key = resources.loop().register(channel, SelectionKey.OP_READ, this);
                return;
            }
            key = resources.loop().register(channel, SelectionKey.OP_CONNECT, this);
            if (channel.connect(to)) {
                connected();
            }
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
    }

    /** Whether this side dialled. */
    boolean isDialled() {
        return isDialled;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public boolean isKnown() {
        return opening != null;
    }

    /** The other side's address as this machine sees it; empty if it is not connected. */
    String address() {
        try {
            InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
            return remote == null ? "" : remote.getAddress().getHostAddress() + ":" + remote.getPort();
        } catch (IOException e) {
            return "";
        }
    }

    // ---- reading ----

    @Override
    public void ready(SelectionKey ready) throws IOException, FrameException {
        if (ready.isConnectable()) {
            channel.finishConnect();
            connected();
        }
        if (!isClosed && ready.isReadable()) {
            read();
        }
        if (!isClosed && ready.isWritable()) {
            flush();
        }
    }

    /** Whether the other side ended it, in order. */
    boolean isClosedByOther() {
        return isClosedByOther;
    }

    private void connected() throws IOException {
        resources.tune(channel);
        interest(SelectionKey.OP_READ);
        waitsFor = "a handshake";
        deadline.at(System.nanoTime() + resources.pace().handshake().toNanos());
        if (handshake instanceof InitiatorHandshake initiator) {
            writer.write(initiator.hello());
        }
        flush();
    }

    private void read() throws IOException, FrameException {
        ByteBuffer in = resources.in();
        for (int taken = 0; taken < TURN_BYTES && !isClosed; ) {
            in.clear();
            int count = channel.read(in);
            if (count < 0) {
                isClosedByOther = true;
                close(sealing == null ? "the other side closed it during the handshake" : "the other side closed it");
                return;
            }
            if (count == 0) {
                return;
            }
            taken += count;
            in.flip();
            for (ByteBuffer frame = decoder.next(in); frame != null; frame = decoder.next(in)) {
                FrameSeal seal = opening;
                if (seal == null) {
                    apply(handshake.on(frame));
                } else {
                    take(frame.get(0), seal.open(frame));
                }
                if (isClosed) {
                    return;
                }
            }
        }
    }

    private void apply(HandshakeStep step) throws IOException {
        if (step instanceof Send send) {
            writer.write(send.frame());
            flush();
        } else if (step instanceof Refused refused) {
            if (refused.frame() != null) {
                // A refusal is short: if the socket does not take all of it, waiting is not worthwhile.
                writer.write(refused.frame());
            }
            owner.refused(this, refused.theirs(), refused.refusal());
            close(refused.refusal().sentence());
        } else if (step instanceof Established established) {
            deadline.cancel();
            Budget budget = established.theirs().isMember() ? resources.membersPartial() : resources.partial();
            decoder = new FrameDecoder(1 + Transport.PAYLOAD_MAX + FrameSeal.MAC, budget);
            if (established.frame() != null) {
                writer.write(established.frame());
            }
            sealing = established.outgoing();
            opening = established.incoming();
            owner.established(this, established.theirs());
            flush();
        }
    }

    private void take(byte type, ByteBuffer payload) throws IOException, FrameException {
        liveness.heard();
        schedule();
        switch (type) {
            case FrameType.DATA -> {
                byte[] bytes = new byte[payload.remaining()];
                payload.get(bytes);
                owner.received(this, bytes);
            }
            case FrameType.PING -> {
                outgoing.answer = stamp(payload);
                flush();
            }
            case FrameType.PONG ->
                owner.answered(this, ByteBuffer.wrap(stamp(payload)).getLong());
            default -> throw new FrameException("a frame has the unknown type " + type);
        }
    }

    private static byte[] stamp(ByteBuffer payload) throws FrameException {
        if (payload.remaining() != STAMP) {
            throw new FrameException("a question has " + payload.remaining() + " bytes; it must have " + STAMP);
        }
        byte[] stamp = new byte[STAMP];
        payload.get(stamp);
        return stamp;
    }

    // ---- writing ----

    /** Sends what is there, as far as the socket takes it. */
    void flush() {
        if (isClosed || !channel.isConnected()) {
            return;
        }
        try {
            boolean isDone = writer.drain(sealing, outgoing);
            if (writer.isProgressing()) {
                // A slow reader is not dead, even if it has not reached the question yet.
                liveness.heard();
                liveness.sent(System.nanoTime());
            }
            interest(isDone ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            schedule();
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Asks whether the other side is there; {@link Owner#answered} or {@link Owner#closed} follows. */
    void ask() {
        liveness.ask(System.nanoTime());
        question();
    }

    private void question() {
        outgoing.question =
                ByteBuffer.allocate(STAMP).putLong(System.nanoTime()).array();
        flush();
    }

    private void interest(int operations) {
        SelectionKey current = key;
        if (current != null && current.isValid() && current.interestOps() != operations) {
            current.interestOps(operations);
        }
    }

    /** What to send next: answers, questions, payloads. At most one answer and one question wait, however many came. */
    private final class Outgoing implements FrameWriter.Source {
        private byte @Nullable [] answer;
        private byte @Nullable [] question;

        @Override
        public byte @Nullable [] peek() {
            return answer != null ? answer : question != null ? question : owner.peek(Connection.this);
        }

        @Override
        public byte type() {
            return answer != null ? FrameType.PONG : question != null ? FrameType.PING : FrameType.DATA;
        }

        @Override
        public void pop() {
            if (answer != null) {
                answer = null;
            } else if (question != null) {
                question = null;
            } else {
                owner.pop(Connection.this);
                liveness.sent(System.nanoTime());
            }
        }
    }

    // ---- time, and the end ----

    private void schedule() {
        if (sealing == null) {
            return;
        }
        if (writer.isWaiting()) {
            // Whatever came meanwhile: the other side has yet to read this.
            liveness.sent(System.nanoTime());
        }
        if (liveness.wakeAtNanos() == Liveness.NEVER) {
            deadline.cancel();
        } else {
            deadline.at(liveness.wakeAtNanos());
        }
    }

    private void expired() {
        try {
            due();
        } catch (RuntimeException | Error e) {
            // Nothing would set its timer again.
            failed(e);
        }
    }

    private void due() {
        if (sealing == null) {
            long millis = (channel.isConnected()
                            ? resources.pace().handshake()
                            : resources.pace().connect())
                    .toMillis();
            close("it waited " + millis + " ms for " + waitsFor);
            return;
        }
        switch (liveness.due(System.nanoTime())) {
            case ASK -> question();
            case SILENT ->
                close("the other side did not answer within "
                        + resources.pace().probeTimeout().toMillis() + " ms");
            case WAIT -> schedule();
        }
    }

    @Override
    public void failed(Throwable cause) {
        String message = cause.getMessage();
        boolean isSaid = message != null && (cause instanceof FrameException || cause instanceof IOException);
        close(isSaid ? String.valueOf(message) : cause.toString());
    }

    /** Ends it, the first time it is called. */
    void close(String reason) {
        if (isClosed) {
            return;
        }
        isClosed = true;
        deadline.cancel();
        decoder.release();
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone anyway.
        }
        owner.closed(this, reason);
    }
}
