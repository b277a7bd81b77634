package dev.mandate.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Sends the same request again and again over one connection. Used by one thread. */
final class KeptAlive implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;
    private final byte[] request;

    /** @param path below the server's root, without characters that need escaping */
    KeptAlive(URI server, String path) {
        try {
            socket = new Socket(server.getHost(), server.getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw Served.failed(e);
        }
        request = ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** Sends the request, reads the whole answer and returns its status. */
    int get() {
        try {
            socket.getOutputStream().write(request);
            String status = line();
            int length = -1;
            for (String header = line(); !header.isEmpty(); header = line()) {
                String lower = header.toLowerCase(Locale.ROOT);
                if (lower.startsWith("content-length:")) {
                    length = Integer.parseInt(
                            lower.substring("content-length:".length()).strip());
                }
            }
            if (length < 0 || in.readNBytes(length).length < length) {
                throw new ProtocolException("the answer '" + status + "' has no length, or ends too soon");
            }
            return Integer.parseInt(status.split(" ", 3)[1]);
        } catch (IOException e) {
            throw Served.failed(e);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection was closed");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw Served.failed(e);
        }
    }
}
