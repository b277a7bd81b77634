package dev.mandate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One client's connection through a {@link FaultProxy}: two sockets, and a thread for each direction. */
final class ProxyConnection implements ProxyGate.Carrier {
    static final int BUFFER_BYTES = 16 * 1024;

    private final Socket client;
    private final Socket server;
    private final ProxyGate gate;
    private final Consumer<ProxyConnection> onEnd;
    private final AtomicInteger pumps = new AtomicInteger(2);
    private volatile boolean isBroken;
    private volatile boolean isOver;
    /** Used only under the gate's lock. */
    private long askedIn;

    ProxyConnection(Socket client, Socket server, ProxyGate gate, Consumer<ProxyConnection> onEnd) {
        this.client = client;
        this.server = server;
        this.gate = gate;
        this.onEnd = onEnd;
    }

    void start(int port) {
        for (Direction direction : Direction.values()) {
            Thread thread = new Thread(() -> pump(direction), "mandate-proxy-" + direction + "-" + port);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Whether bytes were swallowed, so that the bytes after them make no sense. */
    boolean isBroken() {
        return isBroken;
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public void swallowed() {
        isBroken = true;
    }

    @Override
    public void asked(long loss) {
        askedIn = loss;
    }

    @Override
    public long askedIn() {
        return askedIn;
    }

    /** Ends it at once, with a reset on both sides. */
    void reset() {
        end(true);
    }

    void halfClose(Direction direction) {
        try {
            target(direction).shutdownOutput();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    private Socket source(Direction direction) {
        return direction == Direction.TO_SERVER ? client : server;
    }

    private Socket target(Direction direction) {
        return direction == Direction.TO_SERVER ? server : client;
    }

    private void pump(Direction direction) {
        try {
            InputStream in = source(direction).getInputStream();
            OutputStream out = target(direction).getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                forward(direction, buffer, read, out);
            }
            if (!gate.admit(this, direction, 0).isSwallowed()) {
                halfClose(direction);
                if (pumps.decrementAndGet() == 0) {
                    end(false);
                }
            }
        } catch (IOException e) {
            // One side is gone, so end the other in the same way.
            end(true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(true);
        }
    }

    private void forward(Direction direction, byte[] buffer, int read, OutputStream out)
            throws IOException, InterruptedException {
        int done = 0;
        while (done < read) {
            ProxyGate.Verdict verdict = gate.admit(this, direction, read - done);
            if (verdict.isSwallowed()) {
                return;
            }
            out.write(buffer, done, verdict.bytes());
            out.flush();
            done += verdict.bytes();
            if (verdict.isCut()) {
                reset();
                throw new IOException("cut");
            }
            if (done < read) {
                gate.pause();
            }
        }
    }

    private void end(boolean isReset) {
        isOver = true;
        closeQuietly(client, isReset);
        closeQuietly(server, isReset);
        gate.wake();
        onEnd.accept(this);
    }

    private static void closeQuietly(Socket socket, boolean isReset) {
        try {
            if (!socket.isClosed()) {
                // Lingering for zero seconds makes close send a reset.
                socket.setSoLinger(isReset, 0);
                socket.close();
            }
        } catch (IOException e) {
            // It has ended already.
        }
    }
}
