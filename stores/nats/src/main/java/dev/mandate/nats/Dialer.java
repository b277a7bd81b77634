package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.support.StoreAuthority.Host;
import dev.mandate.support.StoreThreads;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ServerInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes connections, trying one server after the other. Each address of a host name is tried, because a
 * frozen server still accepts connections. A lost connection is never reopened and keeps nothing to send.
 */
final class Dialer {
    private static final Duration CLEANUP = Duration.ofSeconds(1);
    private static final int QUEUED_MAX = 65_536;
    private static final int REPORTS_MAX = 20;

    /** Of one host name; the rest is ignored. */
    private static final int ADDRESSES_MAX = 16;

    private static final long CLOSE_MILLIS = 2_000;

    private final NatsSettings settings;
    private final Threads threads;
    private final Consumer<Connection> lost;
    private final Pace pace;
    private final Cork cork = new Cork();
    private final Denials denials = new Denials();
    private volatile boolean wasNats;

    /** Index of the address to try first; rises with each round. On the keeper's thread. */
    private int first;

    /** {@code lost} receives each connection that has ended, on the timer. */
    Dialer(NatsSettings settings, Threads threads, Consumer<Connection> lost) {
        this.settings = settings;
        this.pace = Pace.of(settings.lease());
        this.threads = threads;
        this.lost = lost;
    }

    /** All connections wait for it before they write. */
    Cork cork() {
        return cork;
    }

    Denials denials() {
        return denials;
    }

    /** What one connection reports. Made by the thread that then waits for jnats to connect. */
    private final class Reports implements ErrorListener, ConnectionListener, BoundedPort.Owner {
        private final String host;

        /** Faults beyond its capacity are dropped. */
        private final BlockingQueue<Throwable> faults = new ArrayBlockingQueue<>(REPORTS_MAX);

        /** The thread that waits; null afterwards. Guarded by this, like the next field. */
        private @Nullable Thread trying = Thread.currentThread();

        private boolean isCutShort;

        Reports(String host) {
            this.host = host;
        }

        @Override
        public Cork cork() {
            return cork;
        }

        @Override
        public String host() {
            return host;
        }

        /** The server refused. jnats would wait for its pong all the same, up to the connection timeout. */
        private synchronized void cutShort() {
            if (trying != null) {
                isCutShort = true;
                trying.interrupt();
                trying = null;
            }
        }

        /** Ends the try and returns whether the server's refusal cut it short; if so, clears the interrupt. */
        synchronized boolean end() {
            trying = null;
            if (isCutShort) {
                // Closing the store sets its flag before it interrupts.
                var unused = Thread.interrupted();
            }
            return isCutShort;
        }

        private void add(Throwable fault) {
            if (!(fault instanceof CancellationException)) {
                var unused = faults.offer(fault);
            }
        }

        /** All faults. jnats reports on another thread, perhaps a moment after it gave up, so this waits a little. */
        List<Throwable> all(Throwable otherwise) throws InterruptedException {
            Throwable first = faults.poll(pace.report().toMillis(), TimeUnit.MILLISECONDS);
            List<Throwable> all = new ArrayList<>(List.of(first == null ? otherwise : first));
            faults.drainTo(all);
            return all;
        }

        @Override
        public void errorOccurred(Connection connection, String error) {
            if (!denials.noted(error)) {
                add(new IOException(error));
                cutShort();
            }
        }

        @Override
        public void exceptionOccurred(Connection connection, Exception fault) {
            add(fault);
        }

        @Override
        public void connectionEvent(Connection connection, ConnectionListener.Events event) {
            if (event == ConnectionListener.Events.DISCONNECTED || event == ConnectionListener.Events.CLOSED) {
                lost.accept(connection);
            }
        }
    }

    /**
     * Connects to the first server that accepts. Blocks for at most 2.5 s per address.
     *
     * @throws ElectionException with the reason if no server accepts
     */
    Connection connect() throws InterruptedException {
        denials.clear();
        List<Throwable> faults = new ArrayList<>();
        List<Target> targets = targets(faults);
        int from = first++;
        for (int i = 0; i < targets.size(); i++) {
            @Nullable Connection connection = connect(targets.get(Math.floorMod(from + i, targets.size())), faults);
            if (connection != null) {
                wasNats = true;
                return connection;
            }
        }
        throw fault(faults);
    }

    /** One address of a host. */
    private record Target(Host host, InetAddress address) {
        String url() {
            String text = address.getHostAddress().replaceFirst("%.*", "");
            return "nats://" + (text.contains(":") ? "[" + text + "]" : text) + ":" + host.port();
        }
    }

    /** All current addresses of all hosts. Adds a fault for each unknown host. */
    private List<Target> targets(List<Throwable> faults) {
        List<Target> targets = new ArrayList<>();
        for (Host host : settings.hosts()) {
            try {
                Arrays.stream(InetAddress.getAllByName(host.name()))
                        .limit(ADDRESSES_MAX)
                        .forEach(address -> targets.add(new Target(host, address)));
            } catch (UnknownHostException e) {
                faults.add(e);
            }
        }
        return targets;
    }

    /**
     * Connects to this server; null on failure, which adds at least one fault. If the server rejects our credentials
     * and there are newer ones, tries once more.
     */
    private @Nullable Connection connect(Target target, List<Throwable> faults) throws InterruptedException {
        Login login = settings.login().forLogin();
        List<Throwable> first = new ArrayList<>();
        @Nullable Connection connection = connect(target, login, first);
        boolean isRejected = connection == null && first.stream().anyMatch(Fault::isAuthentication);
        if (isRejected && settings.login().rejected(login)) {
            return connect(target, settings.login().current(), faults);
        }
        faults.addAll(first);
        return connection;
    }

    private @Nullable Connection connect(Target target, Login login, List<Throwable> faults)
            throws InterruptedException {
        Reports reports = new Reports(target.host().name());
        Options options = options(target, login, reports);
        Throwable thrown;
        try {
            return Nats.connect(options);
        } catch (IOException | RuntimeException e) {
            thrown = e;
        } catch (InterruptedException e) {
            if (!reports.end()) {
                throw e;
            }
            thrown = e;
        } finally {
            reports.end();
        }
        faults.addAll(reports.all(thrown));
        return null;
    }

    private Options options(Target target, Login login, Reports reports) {
        Options.Builder options = new Options.Builder()
                .server(target.url())
                .noRandomize()
                .ignoreDiscoveredServers()
                .noReconnect()
                .connectionName("mandate")
                .connectionTimeout(pace.connect())
                .pingInterval(pace.ping())
                .maxPingsOut(Pace.PINGS_MAX)
                .requestCleanupInterval(CLEANUP)
                .reportNoResponders()
                // Nothing is buffered, so there is nothing to flush; each sender would wait for the writer.
                .dontForceFlushOnRequest()
                .useTimeoutException()
                .maxMessagesInOutgoingQueue(QUEUED_MAX)
                // Senders must not block; requests that are discarded time out.
                .discardMessagesWhenOutgoingQueueFull()
                .dataPortType(BoundedPort.class.getName())
                .inboxPrefix(settings.inboxPrefix())
                .executor(threads.pool())
                .scheduledExecutor(threads.timer())
                // Otherwise jnats would create these for each connection and leak them when connecting fails.
                .callbackExecutor(threads.timer())
                .connectExecutor(threads.pool())
                .errorListener(reports)
                .connectionListener(reports);
        login.apply(options);
        if (settings.tls() != null) {
            options.sslContext(settings.tls());
        }
        if (settings.tlsFirst()) {
            options.tlsFirst();
        }
        return options.build();
    }

    /** Picks the fault to report: the first, or with a single host the first setup fault. */
    private ElectionException fault(List<Throwable> all) {
        boolean isNobody = settings.login().current().isNobody();
        List<ElectionException> faults = all.stream()
                .map(each -> Fault.ofConnecting(settings.name(), each, isNobody, wasNats))
                .toList();
        return faults.stream()
                .filter(each ->
                        each instanceof StoreSetupException && settings.hosts().size() == 1)
                .findFirst()
                .orElse(faults.get(0));
    }

    /** The server of this connection, for blocking requests. */
    BucketCheck.Server server(Connection connection) {
        return new BucketCheck.Server() {
            @Override
            public ServerInfo serverInfo() {
                return connection.getServerInfo();
            }

            @Override
            public @Nullable Json ask(String what, String verb, String body) {
                return Dialer.this.ask(connection, what, Subjects.API + verb, body);
            }
        };
    }

    private @Nullable Json ask(Connection connection, String what, String subject, String body) {
        try {
            Message answer = connection
                    .requestWithTimeout(subject, body.getBytes(StandardCharsets.UTF_8), pace.answer())
                    .get(pace.answer().toNanos(), TimeUnit.NANOSECONDS);
            return Json.read(answer.getData());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(settings.name() + ": " + what + ": interrupted", e);
        } catch (IllegalArgumentException e) {
            throw new StoreSetupException(settings.name() + ": " + what + ": the answer is " + e.getMessage(), e);
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            Throwable failure = Causes.unwrapped(e);
            if (Fault.isNoResponders(failure)) {
                return null;
            }
            throw unanswered(what, subject, failure);
        }
    }

    /** Why a request failed. jnats may cancel a denied request, because its timer can fire before ours. */
    ElectionException unanswered(Object what, String subject, Throwable failure) {
        @Nullable
        String said = failure instanceof TimeoutException || failure instanceof CancellationException
                ? denials.of(subject)
                : null;
        return said == null ? Fault.of(settings.name(), what, failure) : Fault.denied(settings.name(), what, said);
    }

    /** Closes a connection on another thread, because that may take a while. */
    CompletableFuture<Void> end(@Nullable Connection connection) {
        if (connection == null) {
            return CompletableFuture.completedFuture(null);
        }
        try {
            return CompletableFuture.runAsync(() -> closeQuietly(connection), threads.pool());
        } catch (RejectedExecutionException e) {
            // The store was closed meanwhile, or all threads are busy.
            CompletableFuture<Void> done = new CompletableFuture<>();
            StoreThreads.daemon("mandate-nats-close", () -> {
                        closeQuietly(connection);
                        done.complete(null);
                    })
                    .start();
            return done;
        } catch (OutOfMemoryError e) {
            // No thread can be created. Clears the interrupt of close(), which would make jnats stop halfway.
            var unused = Thread.interrupted();
            closeQuietly(connection);
            return CompletableFuture.completedFuture(null);
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // It has ended all the same.
        }
    }

    /** Closes the last connection; waits for that at most two seconds. */
    void close(@Nullable Connection connection) {
        try {
            end(connection).get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Closing the threads interrupts it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
