package dev.mandate.peers.transport;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The protocol over a blocking socket, by somebody who may break it. */
final class RawPeer implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private @Nullable FrameSeal outgoing;
    private @Nullable FrameSeal incoming;
    private @Nullable Introduction theirs;

    private RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        this.socket.setSoTimeout(TIMEOUT_MILLIS);
        this.socket.setTcpNoDelay(true);
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** A connection on which nothing has happened yet. */
    static RawPeer silent(PeerAddress to) throws IOException {
        return silent(to, 0);
    }

    /** The same with a receive buffer of that many bytes; 0 for the default. */
    static RawPeer silent(PeerAddress to, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        try {
            if (receiveBuffer > 0) {
                socket.setReceiveBufferSize(receiveBuffer);
            }
            socket.connect(new InetSocketAddress(to.host(), to.port()), TIMEOUT_MILLIS);
            return new RawPeer(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    static RawPeer accepted(Socket socket) throws IOException {
        return new RawPeer(socket);
    }

    /** Goes through the handshake as that process; returns why it was refused, if it was. */
    Optional<Refusal> introduce(TransportSettings as, PeerAddress to, GroupSecret secret) throws Exception {
        InitiatorHandshake handshake = new InitiatorHandshake(
                as.introduction(to.toString()), secret.keys().get(0), nonce(), any -> Optional.empty());
        write(handshake.hello());
        return run(handshake);
    }

    /** Answers the handshake of whoever dialled, as that process. */
    Optional<Refusal> answer(TransportSettings as, GroupSecret secret) throws Exception {
        return run(new ResponderHandshake(as.introduction(""), secret.keys(), nonce(), any -> Optional.empty()));
    }

    private Optional<Refusal> run(Handshake handshake) throws Exception {
        while (true) {
            HandshakeStep step = handshake.on(ByteBuffer.wrap(frame()));
            if (step instanceof Send send) {
                write(send.frame());
            } else if (step instanceof Refused refused) {
                return Optional.of(refused.refusal());
            } else if (step instanceof Established established) {
                if (established.frame() != null) {
                    write(established.frame());
                }
                outgoing = established.outgoing();
                incoming = established.incoming();
                theirs = established.theirs();
                return Optional.empty();
            }
        }
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[Handshake.NONCE];
        new Random().nextBytes(nonce);
        return nonce;
    }

    Introduction theirs() {
        return java.util.Objects.requireNonNull(theirs);
    }

    /** The next frame without its length. */
    byte[] frame() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return frame;
    }

    /** The payload of the next frame that is one. */
    byte[] payload() throws Exception {
        while (true) {
            byte[] frame = frame();
            ByteBuffer payload = java.util.Objects.requireNonNull(incoming).open(ByteBuffer.wrap(frame));
            if (frame[0] == FrameType.DATA) {
                byte[] bytes = new byte[payload.remaining()];
                payload.get(bytes);
                return bytes;
            }
            if (frame[0] == FrameType.PING) {
                byte[] stamp = new byte[payload.remaining()];
                payload.get(stamp);
                write(sealed(FrameType.PONG, stamp));
            }
        }
    }

    /** Reads that many bytes, whatever they are; returns how many came before the end. */
    int skip(int bytes) throws IOException {
        return in.readNBytes(bytes).length;
    }

    byte[] sealed(byte type, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + FrameSeal.OVERHEAD);
        java.util.Objects.requireNonNull(outgoing).seal(type, payload, frame);
        return frame.array();
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void send(byte[] payload) throws IOException {
        write(sealed(FrameType.DATA, payload));
    }

    /** Reads until the other side closes. */
    void awaitClosed() throws IOException {
        try {
            while (in.read() >= 0) {
                continue;
            }
        } catch (EOFException | SocketException e) {
            // Closed, with a reset.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
