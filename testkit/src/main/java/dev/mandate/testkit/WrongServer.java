package dev.mandate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Listens, and is no store: waits to be asked, says the same to everybody, and then ends the connection or goes on for ever. Safe for use from
 * many threads.
 */
public final class WrongServer implements AutoCloseable {
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

    /** A server that says {@code text}, one byte for each character, and ends the connection. */
    public static WrongServer saying(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    /** A server that says {@code text} again and again, until the client has enough. */
    public static WrongServer sayingForEver(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), true);
    }

    /** Where it listens, on the loopback address. */
    public int port() {
        return socket.getLocalPort();
    }

    private void listen() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                client.setSoTimeout(5_000);
                InputStream in = client.getInputStream();
                // Whoever closes with something unread resets the connection, and takes back what was said.
                in.readNBytes(1);
                in.skipNBytes(in.available());
                OutputStream out = client.getOutputStream();
                do {
                    out.write(text);
                    out.flush();
                } while (isEndless && !socket.isClosed());
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
