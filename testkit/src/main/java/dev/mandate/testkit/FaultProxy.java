package dev.mandate.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sits between a client and a TCP server, and misbehaves on demand. Connect the client to {@link #port()} on the
 * loopback address.
 *
 * <p>A fault is in force when the method that sets it returns: what the proxy reads after that does not get past it. It
 * affects all present and later connections until {@link #pass()}. Instead of sleeping, wait for what the proxy saw:
 * {@link #awaitConnections}, {@link #awaitHeld}, {@link #awaitCuts}.
 *
 * <p>Safe for use from many threads. It never holds more than {@value ProxyConnection#BUFFER_BYTES} bytes per
 * connection and direction, and takes at most {@value #CONNECTIONS_MAX} connections.
 */
public final class FaultProxy implements AutoCloseable {
    /** How much is read at a time. */
    private static final int CONNECTIONS_MAX = 256;

    private static final int BACKLOG = 64;
    private static final int CONNECT_MILLIS = 5_000;

    private final InetSocketAddress server;

    /** Bound to the port but never listening: while {@link #refuse() refusing}, nobody else can get the port. */
    private final Socket claim;

    private final InetAddress address;
    private final int port;
    private final ProxyGate gate = new ProxyGate();
    private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();

    /** Guards what follows. */
    private final Object lock = new Object();

    private @Nullable Listener listener;
    private boolean isClosed;

    private FaultProxy(InetSocketAddress server, InetAddress address, int wanted) throws IOException {
        this.server = server;
        this.address = address;
        this.claim = claimPort(address, wanted);
        this.port = claim.getLocalPort();
        ServerSocket first = listenOn();
        this.listener = new Listener(first, new Thread(() -> acceptAll(first), "mandate-proxy-accept-" + port));
    }

    /**
     * Opens a proxy to a server, which need not run yet.
     *
     * @throws IOException if no port can be opened
     */
    public static FaultProxy to(String host, int port) throws IOException {
        return started(new FaultProxy(new InetSocketAddress(host, port), InetAddress.getLoopbackAddress(), 0));
    }

    /**
     * The same at an address and port of the caller's choice, for clients with a fixed address.
     *
     * @param listen the address of this machine and the port to listen on
     * @throws IOException if that port can't be opened there
     */
    public static FaultProxy at(InetSocketAddress listen, String host, int port) throws IOException {
        return started(new FaultProxy(new InetSocketAddress(host, port), listen.getAddress(), listen.getPort()));
    }

    private static FaultProxy started(FaultProxy proxy) {
        synchronized (proxy.lock) {
            proxy.start(proxy.listener);
        }
        return proxy;
    }

    /** The port to connect to, on the loopback or the chosen address. Survives {@link #refuse} and {@link #pass}. */
    public int port() {
        return port;
    }

    /** Ends all faults. Forwards what was held up; resets connections that lost bytes: their streams are broken. */
    public void pass() throws IOException {
        gate.pass();
        for (ProxyConnection connection : connections) {
            if (connection.isBroken()) {
                connection.reset();
            }
        }
        synchronized (lock) {
            if (listener == null && !isClosed) {
                ServerSocket again = listenOn();
                listener = new Listener(again, new Thread(() -> acceptAll(again), "mandate-proxy-accept-" + port));
                start(listener);
            }
        }
    }

    /** Delays every piece by that much, in both directions. */
    public void delay(Duration delay) {
        gate.delay(delay);
    }

    /** Forwards at most {@code bytes} at a time, with a pause after each, in both directions. */
    public void slice(int bytes, Duration pause) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes of a slice is " + bytes + ", must be at least 1");
        }
        gate.slice(bytes, pause);
    }

    /** Holds up everything in that direction until {@link #pass()} forwards it: a network that heals. */
    public void stall(Direction direction) {
        gate.stall(direction);
    }

    /** Holds up both directions. */
    public void stall() {
        stall(Direction.TO_SERVER);
        stall(Direction.TO_CLIENT);
    }

    /** Swallows everything in that direction for good. {@link Direction#TO_CLIENT}: requests take effect unanswered. */
    public void blackHole(Direction direction) {
        gate.blackHole(direction);
    }

    /** Swallows everything. */
    public void blackHole() {
        blackHole(Direction.TO_SERVER);
        blackHole(Direction.TO_CLIENT);
    }

    /**
     * Forwards {@code bytes} more in that direction, counted over all connections, and resets the connection that would
     * carry the next one. Works once. {@code cutAfter(TO_CLIENT, 0)} loses the answer to the next request, after the
     * server has acted on it.
     */
    public void cutAfter(Direction direction, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes before the cut is " + bytes + ", must not be negative");
        }
        gate.cutAfter(direction, bytes);
    }

    /**
     * Loses the answers to the next {@code answers} requests: once a request has passed on a connection, the next bytes
     * from the server are dropped and the connection is reset. The requests usually take effect. Bytes that come
     * unasked, such as events of a watch, pass.
     */
    public void loseAnswers(int answers) {
        if (answers < 1) {
            throw new IllegalArgumentException("answers to lose is " + answers + ", must be at least 1");
        }
        gate.loseAnswers(answers);
    }

    /** Resets all present connections; accepts new ones. */
    public void reset() {
        connections.forEach(ProxyConnection::reset);
    }

    /** Ends the stream in that direction on all present connections; the other direction goes on. */
    public void halfClose(Direction direction) {
        connections.forEach(connection -> connection.halfClose(direction));
    }

    /** Stops listening: the operating system refuses new connections, present ones go on. */
    public void refuse() throws IOException {
        @Nullable Listener former;
        synchronized (lock) {
            former = listener;
            listener = null;
        }
        if (former != null) {
            former.socket.close();
            // As long as a thread is inside accept(), the operating system keeps listening.
            awaitEnd(former.thread);
        }
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join(2L * CONNECT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** How many connections are open. */
    public int connections() {
        return connections.size();
    }

    /** How many connections were taken so far. */
    public int accepted() {
        return accepted.get();
    }

    /** How many bytes were forwarded in that direction so far. */
    public long forwarded(Direction direction) {
        return gate.forwarded(direction);
    }

    /** How many connections were reset so far by {@link #cutAfter} and {@link #loseAnswers}. */
    public int cuts() {
        return gate.cuts();
    }

    /** Waits until that many connections are open. */
    public void awaitConnections(int count, Duration atMost) {
        Await.until(count + " connections through the proxy", atMost, () -> connections() == count);
    }

    /** Waits until bytes were held up or swallowed in that direction since the fault was set. */
    public void awaitHeld(Direction direction, Duration atMost) {
        Await.until("bytes held up " + direction, atMost, () -> gate.kept(direction) > 0);
    }

    /** Waits until {@code count} connections were cut since the proxy was opened. */
    public void awaitCuts(int count, Duration atMost) {
        Await.until(count + " cuts by the proxy", atMost, () -> gate.cuts() >= count);
    }

    /** Resets everything and releases the port. Idempotent. */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            isClosed = true;
        }
        refuse();
        gate.close();
        reset();
        claim.close();
    }

    /**
     * Reserves a port until the socket is closed; with 0 the system chooses it. Both sockets set SO_REUSEADDR and this
     * one does not listen, so our listener can share the port; while there is none, connections are refused.
     */
    private static Socket claimPort(InetAddress address, int wanted) throws IOException {
        Socket socket = new Socket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(address, wanted));
        return socket;
    }

    private ServerSocket listenOn() throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(address, port), BACKLOG);
        return socket;
    }

    /** A port that is open, and the thread that takes connections from it. */
    private record Listener(ServerSocket socket, Thread thread) {}

    private void start(@Nullable Listener begun) {
        if (begun != null) {
            begun.thread.setDaemon(true);
            begun.thread.start();
        }
    }

    private void acceptAll(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                take(socket.accept());
            } catch (IOException e) {
                // Closed by refuse(), or the server can't be reached: the client sees its connection end.
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private void take(Socket client) throws IOException {
        if (connections.size() >= CONNECTIONS_MAX) {
            client.close();
            return;
        }
        Socket upstream = new Socket();
        try {
            upstream.connect(server, CONNECT_MILLIS);
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
        } catch (IOException e) {
            client.close();
            upstream.close();
            throw e;
        }
        ProxyConnection connection = new ProxyConnection(client, upstream, gate, connections::remove);
        connections.add(connection);
        accepted.incrementAndGet();
        connection.start(port);
        synchronized (lock) {
            if (isClosed) {
                connection.reset();
            }
        }
    }
}
