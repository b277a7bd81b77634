package dev.mandate.nats;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Listens, and is no NATS: says the same to everybody at once, and then waits, or goes on for ever. */
final class WrongServer implements AutoCloseable {
    private final ServerSocket socket;
    private final byte[] text;
    private final boolean isEndless;

    private WrongServer(byte[] text, boolean isEndless) throws IOException {
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.text = text;
        this.isEndless = isEndless;
        Thread listener = new Thread(this::listen, "wrong-server");
        listener.setDaemon(true);
        listener.start();
    }

    static WrongServer saying(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    static WrongServer sayingForEver(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), true);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void listen() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                OutputStream out = client.getOutputStream();
                do {
                    out.write(text);
                    out.flush();
                } while (isEndless && !socket.isClosed());
                client.setSoTimeout(2_000);
                client.getInputStream().skipNBytes(1 << 20);
            } catch (IOException e) {
                // The client has gone, or the test is over.
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
