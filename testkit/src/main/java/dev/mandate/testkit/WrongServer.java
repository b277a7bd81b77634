package dev.mandate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A server that is no store: it waits for a request or speaks first, says the same to every client, then ends the
 * connection or goes on forever. Safe for use from many threads.
 */
public final class WrongServer implements AutoCloseable {
    private static final int UNREAD_MAX = 1 << 20;

    private final ServerSocket socket;
    private final byte[] text;
    private final boolean isEndless;
    private final boolean isFirst;

    private WrongServer(byte[] text, boolean isEndless, boolean isFirst) throws IOException {
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.text = text;
        this.isEndless = isEndless;
        this.isFirst = isFirst;
        Thread listener = new Thread(this::listen, "wrong-server");
        listener.setDaemon(true);
        listener.start();
    }

    /** A server that answers {@code text}, one byte for each character, and ends the connection. */
    public static WrongServer saying(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), false, false);
    }

    /** A server that answers {@code text} again and again, until the client leaves. */
    public static WrongServer sayingForEver(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), true, false);
    }

    /** A server that says {@code text} before any request, and waits for the client to leave. */
    public static WrongServer greeting(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), false, true);
    }

    /** A server that says {@code text} again and again before any request, until the client leaves. */
    public static WrongServer greetingForEver(String text) throws IOException {
        return new WrongServer(text.getBytes(StandardCharsets.ISO_8859_1), true, true);
    }

    /** The port it listens on, on the loopback address. */
    public int port() {
        return socket.getLocalPort();
    }

    private void listen() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                client.setSoTimeout(5_000);
                InputStream in = client.getInputStream();
                if (!isFirst) {
                    // Closing with unread input resets the connection and loses the output.
                    in.readNBytes(1);
                    in.skipNBytes(in.available());
                }
                OutputStream out = client.getOutputStream();
                do {
                    out.write(text);
                    out.flush();
                } while (isEndless && !socket.isClosed());
                if (isFirst) {
                    in.skipNBytes(UNREAD_MAX);
                }
            } catch (IOException e) {
                // The client has left, or the test is over.
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
