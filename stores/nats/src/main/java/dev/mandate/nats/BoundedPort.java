package dev.mandate.nats;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPort;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection's socket that limits the server's first line, and delays writes while more is about to come. Public only
 * because jnats creates it by its class name.
 */
@SuppressWarnings("exports")
public final class BoundedPort extends SocketDataPort {
    /** The first line names all servers of a cluster; otherwise it has a few hundred bytes. */
    static final int LINE_BYTES_MAX = 1 << 20;

    // Used by one thread at a time: the one that connects, then the reader that it starts.
    private long line;
    private boolean isOver;

    private volatile @Nullable Cork cork;

    /** Called by jnats. */
    public BoundedPort() {}

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = super.read(target, offset, length);
        if (!isOver && count > 0) {
            isOver = hasEnd(target, offset, count);
            line += count;
            if (!isOver && line > LINE_BYTES_MAX) {
                throw new IOException("no end of the first line within " + LINE_BYTES_MAX + " bytes");
            }
        }
        return count;
    }

    @Override
    public void write(byte[] source, int length) throws IOException {
        @Nullable Cork known = cork == null ? found() : cork;
        if (known != null) {
            known.await();
        }
        super.write(source, length);
    }

    /** Found through the error listener, the only object of ours that jnats passes on. */
    private @Nullable Cork found() {
        Connection made = connection;
        cork = made != null && made.getOptions().getErrorListener() instanceof Cork.Keeper keeper
                ? keeper.cork()
                : null;
        return cork;
    }

    private static boolean hasEnd(byte[] bytes, int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (bytes[i] == '\n') {
                return true;
            }
        }
        return false;
    }
}
