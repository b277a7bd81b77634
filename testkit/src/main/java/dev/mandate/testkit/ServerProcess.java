package dev.mandate.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A real server on loopback, with free ports and its own temporary data folder, for a test to kill, freeze and restart:
 *
 * <pre>{@code
 * try (ServerProcess acme = ServerProcess.of(ServerBinary.named("acme"))
 *         .ports("client")
 *         .arguments("--listen", "127.0.0.1:{client}", "--data", "{data}")
 *         .ready(server -> get(server.port("client"), "/health").equals("ok"))
 *         .version(server -> get(server.port("client"), "/version"))
 *         .start()) {
 *     acme.kill();
 *     acme.restart();
 * }
 * }</pre>
 *
 * <p>It ends when closed and when this JVM exits; on Linux with {@code setpriv} also when this JVM is killed, and then
 * a later run deletes its data. Keeps the last 10,000 lines since its latest start.
 *
 * <p>Safe for use from many threads; starts and stops block, one at a time.
 */
public final class ServerProcess implements AutoCloseable {
    /** How often a first start tries other ports: another program may have taken them meanwhile. */
    private static final int STARTS_MAX = 3;

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z][a-z0-9-]*)}");

    private final Settings settings;
    private final ServerData data;
    private final Thread atExit = new Thread(this::close, "mandate-server-exit");
    private volatile Map<String, Integer> ports = Map.of();
    private volatile @Nullable CandidateProcess process;
    private volatile String version = "";
    private boolean isFrozen;
    private boolean isClosed;

    private ServerProcess(Settings settings, ServerData data) {
        this.settings = settings;
        this.data = data;
    }

    /** A question to a server. */
    @FunctionalInterface
    public interface Question<T> {
        /**
         * Asks, within its own time limit.
         *
         * @throws Exception if it does not answer
         */
        T ask(ServerProcess server) throws Exception;
    }

    private record Settings(
            ServerBinary binary,
            Path program,
            List<String> ports,
            List<String> arguments,
            Map<String, String> environment,
            Map<String, String> files,
            Question<Boolean> ready,
            Question<String> version,
            Duration within) {}

    /**
     * Prepares a server to start.
     *
     * @throws org.opentest4j.TestAbortedException if there is no program, and the server is not demanded
     * @throws AssertionError if there is none and it is
     */
    public static Builder of(ServerBinary binary) {
        return new Builder(binary, binary.require());
    }

    /** Settings of a server to start. Not for use from many threads. */
    public static final class Builder {
        private final ServerBinary binary;
        private final Path program;
        private final List<String> ports = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, String> environment = new HashMap<>();
        private final Map<String, String> files = new HashMap<>();
        private @Nullable Question<Boolean> ready;
        private @Nullable Question<String> version;
        private Duration within = Duration.ofSeconds(60);

        private Builder(ServerBinary binary, Path program) {
            this.binary = binary;
            this.program = program;
        }

        /** Gives it a free port for each of these names: lower-case letters, digits and {@code -}. */
        public Builder ports(String... names) {
            ports.addAll(List.of(names));
            return this;
        }

        /** Adds arguments; <code>{data}</code> becomes its data folder, <code>{name}</code> the port of that name. */
        public Builder arguments(String... added) {
            arguments.addAll(List.of(added));
            return this;
        }

        /** Adds a variable, with the same placeholders, to the environment that it inherits from this process. */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /** Writes a file of that name into its data folder before each start, with the same placeholders. */
        public Builder file(String name, String text) {
            files.put(name, text);
            return this;
        }

        /** A real request that returns true once the server serves. While it fails, the server is not ready. */
        public Builder ready(Question<Boolean> question) {
            this.ready = question;
            return this;
        }

        /** Asks the running server for its version, once it is ready; the answer is reported. */
        public Builder version(Question<String> question) {
            this.version = question;
            return this;
        }

        /** How long a start may take; default 60 s. */
        public Builder within(Duration atMost) {
            this.within = atMost;
            return this;
        }

        /**
         * Starts it, waits until it is ready, and reports it as found or fetched, with its version.
         *
         * @throws IllegalArgumentException if a placeholder names no port
         * @throws IllegalStateException if {@link #ready} or {@link #version} was not given
         * @throws AssertionError if it does not get ready in time; shows the end of its log
         */
        public ServerProcess start() {
            Settings settings = settings();
            ServerProcess server = new ServerProcess(settings, ServerData.create(binary.name()));
            Runtime.getRuntime().addShutdownHook(server.atExit);
            server.startFirst();
            return server;
        }

        private Settings settings() {
            if (ready == null || version == null) {
                throw new IllegalStateException("server " + binary.name() + " needs ready(…) and version(…)");
            }
            Set<String> known = new LinkedHashSet<>(ports);
            known.add("data");
            List<String> texts = new ArrayList<>(arguments);
            texts.addAll(environment.values());
            texts.addAll(files.values());
            for (String text : texts) {
                PLACEHOLDER.matcher(text).results().map(match -> match.group(1)).forEach(name -> {
                    if (!known.contains(name)) {
                        throw new IllegalArgumentException(
                                "'" + text + "' has the placeholder {" + name + "}, must be one of " + known);
                    }
                });
            }
            return new Settings(
                    binary,
                    program,
                    List.copyOf(ports),
                    List.copyOf(arguments),
                    Map.copyOf(environment),
                    Map.copyOf(files),
                    ready,
                    version,
                    within);
        }
    }

    private synchronized void startFirst() {
        try {
            startOnFreePorts();
            version = saidVersion();
        } catch (RuntimeException | AssertionError e) {
            close();
            throw e;
        }
        settings.binary().report(version);
    }

    private void startOnFreePorts() {
        for (int start = 1; ; start++) {
            ports = ServerPorts.choose(settings.ports());
            try {
                startProcess();
                return;
            } catch (AssertionError e) {
                // If it still runs, other ports would not help.
                if (start == STARTS_MAX || isAlive()) {
                    throw e;
                }
                kill();
                data.clear();
            }
        }
    }

    private String saidVersion() {
        try {
            return settings.version().ask(this);
        } catch (Exception e) {
            throw new AssertionError(this + " is ready, but does not say its version: " + e, e);
        }
    }

    private void startProcess() {
        if (isClosed) {
            throw new IllegalStateException(this + " is closed");
        }
        settings.files().forEach((name, text) -> data.write(name, filled(text)));
        CandidateProcess.Builder command =
                CandidateProcess.command(command()).named(settings.binary().name());
        settings.environment().forEach((variable, value) -> command.environment(variable, filled(value)));
        CandidateProcess started = command.directory(data.folder()).start();
        process = started;
        isFrozen = false;
        String[] refusal = {"it has not been asked"};
        try {
            Await.until(this + " to be ready", settings.within(), () -> !started.isAlive() || isReady(refusal));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + refusal[0] + "; it said\n" + started.tail(), e);
        }
        if (!started.isAlive()) {
            throw new AssertionError(this + " ended by itself before it was ready, command " + List.of(command())
                    + "; it said\n" + started.tail());
        }
    }

    private boolean isReady(String[] refusal) {
        try {
            refusal[0] = "it says that it is not";
            return settings.ready().ask(this);
        } catch (Exception | AssertionError e) {
            refusal[0] = e.toString();
            return false;
        }
    }

    private String[] command() {
        List<String> command = new ArrayList<>(List.of(settings.program().toString()));
        settings.arguments().forEach(argument -> command.add(filled(argument)));
        return command.toArray(String[]::new);
    }

    private String filled(String text) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(
                        match.group(1).equals("data")
                                ? data.folder().toString()
                                : Integer.toString(port(match.group(1)))));
    }

    /**
     * The port of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public int port(String name) {
        @Nullable Integer port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException(this + " has no port '" + name + "', it has " + settings.ports());
        }
        return port;
    }

    /** Its data folder. */
    public Path data() {
        return data.folder();
    }

    /** The version it reported at its first start. */
    public String version() {
        return version;
    }

    /** The process id of its latest start. */
    public long pid() {
        return current().pid();
    }

    /** Whether it runs or is frozen. */
    public boolean isAlive() {
        @Nullable CandidateProcess latest = process;
        return latest != null && latest.isAlive();
    }

    /** All its lines since its latest start, on both streams, those of standard error marked {@code err:}. */
    public List<String> log() {
        return current().log();
    }

    /** SIGKILL; returns once it is gone. Its data stays. Does nothing if it does not run. */
    public synchronized void kill() {
        @Nullable CandidateProcess latest = process;
        if (latest != null && latest.isAlive()) {
            latest.kill();
        }
        if (latest != null) {
            latest.close();
        }
    }

    /** SIGSTOP; returns once it has stopped. Connections stay open and are not answered. */
    public synchronized void freeze() {
        current().freeze();
        isFrozen = true;
    }

    /** SIGCONT; returns once it may run. Does nothing if it is not frozen. */
    public synchronized void thaw() {
        if (isFrozen) {
            current().thaw();
            isFrozen = false;
        }
    }

    /**
     * Kills it if it runs, and starts it again on the same ports and the same data.
     *
     * @throws AssertionError if it does not get ready in time; shows the end of its log
     */
    public synchronized void restart() {
        kill();
        startProcess();
    }

    /** The same, after deleting all its data. */
    public synchronized void restartWithoutData() {
        kill();
        data.clear();
        startProcess();
    }

    /** Undoes what a test left behind: thaws it, and restarts it if it has ended. */
    synchronized void recover() {
        if (isAlive()) {
            thaw();
        } else {
            restart();
        }
    }

    /** Kills it and deletes its data. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (process != null) {
            process.close();
        }
        data.delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This JVM is already exiting, and the hook does the same.
        }
    }

    private CandidateProcess current() {
        @Nullable CandidateProcess latest = process;
        if (latest == null) {
            throw new IllegalStateException(this + " was never started");
        }
        return latest;
    }

    @Override
    public String toString() {
        return "server " + settings.binary().name() + ports;
    }
}
