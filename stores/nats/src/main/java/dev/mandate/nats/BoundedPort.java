package dev.mandate.nats;

import io.nats.client.Connection;
import io.nats.client.impl.SocketDataPort;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a connection, which gives up on a server that never comes to the end of its first line, and does not write while there is more to
 * come. Public because jnats makes it by its name; of no use to anybody else.
 */
public final class BoundedPort extends SocketDataPort {
    /** The first line names all servers of a cluster, and is a few hundred bytes long otherwise. */
    static final int LINE_BYTES_MAX = 1 << 20;

    // Read by one thread at a time, the one that connects and then the reader, which is started by it.
    private long line;
    private boolean isOver;

    private volatile @Nullable Cork cork;

    /** Made by jnats. */
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

    /** What made the connection listens to it, too: jnats hands nothing else on. */
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
