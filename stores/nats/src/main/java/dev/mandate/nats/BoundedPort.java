package dev.mandate.nats;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A connection's socket that limits the server's first line, compares the server's certificate with its host name,
 * which jnats does not do, and delays writes while more is about to come. Public only because jnats creates it by its
 * class name.
 */
@SuppressWarnings("exports")
public final class BoundedPort extends SocketDataPort {
    /** The first line names all servers of a cluster; otherwise it has a few hundred bytes. */
    static final int LINE_BYTES_MAX = 1 << 20;

    // Used by one thread at a time: the one that connects, then the reader that it starts.
    private long line;
    private boolean isOver;

    /** Called by jnats. */
    public BoundedPort() {}

    /** Whose connection it is: its error listener, the only object of ours that jnats passes on. */
    interface Owner {
        Cork cork();

        /** The server's host name in the URL, though the connection is to one of its addresses. */
        String host();
    }

    private Owner owner() throws IOException {
        Connection made = connection;
        if (made != null && made.getOptions().getErrorListener() instanceof Owner owner) {
            return owner;
        }
        throw new IOException("a connection of somebody else");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = super.read(target, offset, length);
        if (!isOver && count > 0) {
            isOver = new String(target, offset, count, StandardCharsets.ISO_8859_1).indexOf('\n') >= 0;
            line += count;
            if (!isOver && line > LINE_BYTES_MAX) {
                throw new IOException("no end of the first line within " + LINE_BYTES_MAX + " bytes");
            }
        }
        return count;
    }

    @Override
    public void write(byte[] source, int length) throws IOException {
        owner().cork().await();
        super.write(source, length);
    }

    @Override
    public void upgradeToSecure() throws IOException {
        Connection made = connection;
        SSLContext context = made.getOptions().getSslContext();
        String name = owner().host().replaceAll("[\\[\\]]", "");
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, name, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.setUseClientMode(true);
        secure.startHandshake();
        in = secure.getInputStream();
        out = secure.getOutputStream();
        socket = secure;
        isSecure = true;
    }
}
