package dev.mandate.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A child process that a test kills with SIGKILL and freezes with SIGSTOP. It reports what it does in lines on its
 * standard output, which the test awaits:
 *
 * <pre>{@code
 * try (CandidateProcess leader = CandidateProcess.java(Worker.class, url).start()) {
 *     leader.await("leading", Duration.ofSeconds(20), line -> line.startsWith("leading "));
 *     leader.freeze();
 *     …
 *     leader.thaw();
 * }
 * }</pre>
 *
 * <p>On Linux it leads its own process group, and signals go to the whole group; elsewhere only to the process. It is
 * killed when closed and when this JVM exits; on Linux with {@code setpriv} also when this JVM is killed.
 *
 * <p>Keeps the last 10,000 lines. Safe for use from many threads.
 */
public final class CandidateProcess implements AutoCloseable {
    private static final Duration SIGNAL_WITHIN = Duration.ofSeconds(20);

    /** How long to wait for the remaining output of a process that has ended. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final boolean isGroup;
    private final Thread atExit;
    private final ProcessLines lines = new ProcessLines();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private CandidateProcess(String name, Process process, boolean isGroup) {
        this.name = name;
        this.process = process;
        this.isGroup = isGroup;
        this.atExit = new Thread(this::killNow, "mandate-candidate-exit-" + process.pid());
    }

    /** Runs {@code main} in a new JVM with the class path of this one. */
    public static Builder java(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Candidates are small and start often.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new Builder(main.getSimpleName(), command);
    }

    /** Any program. */
    public static Builder command(String... command) {
        return new Builder(command[0], List.of(command));
    }

    /** Settings of a process to start. */
    public static final class Builder {
        private final List<String> command;
        private String name;
        private final Map<String, String> environment = new HashMap<>();
        private @Nullable Path directory;
        private List<String> launcher = List.of();

        private Builder(String name, List<String> command) {
            this.name = name;
            this.command = command;
        }

        /** What messages call it; default its class or command. */
        public Builder named(String name) {
            this.name = name;
            return this;
        }

        /** Adds a variable to its environment, which it inherits from this process. */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /** Starts it by this command, which must become it by {@code exec}: {@code nsenter} for instance. */
        public Builder through(List<String> launcher) {
            this.launcher = List.copyOf(launcher);
            return this;
        }

        /** Starts it in that folder; default that of this process. */
        public Builder directory(Path folder) {
            this.directory = folder;
            return this;
        }

        /**
         * Starts it.
         *
         * @throws AssertionError if it can't be started; names the command
         */
        public CandidateProcess start() {
            List<String> prefix = new ArrayList<>();
            boolean isGroup =
                    isLinux() && ServerFixture.program(List.of("setsid")).isPresent();
            if (isGroup) {
                prefix.add("setsid");
            }
            if (isLinux() && ServerFixture.program(List.of("setpriv")).isPresent()) {
                prefix.addAll(List.of("setpriv", "--pdeathsig", "KILL"));
            }
            if (isLinux()) {
                prefix.addAll(Signals.reset());
            }
            prefix.addAll(launcher);
            prefix.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(prefix);
            builder.environment().putAll(environment);
            if (directory != null) {
                builder.directory(directory.toFile());
            }
            CandidateProcess started = new CandidateProcess(name, startOn(builder, name), isGroup);
            started.begin();
            return started;
        }
    }

    private static boolean isLinux() {
        return System.getProperty("os.name").equals("Linux");
    }

    /**
     * Starts it on a thread that lives as long as the process: the kernel sends the parent-death signal when the
     * <em>thread</em> that started the child ends.
     */
    private static Process startOn(ProcessBuilder builder, String name) {
        CompletableFuture<Process> started = new CompletableFuture<>();
        Thread parent = new Thread(
                () -> {
                    try {
                        Process process = builder.start();
                        started.complete(process);
                        process.waitFor();
                    } catch (IOException | RuntimeException e) {
                        started.completeExceptionally(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "mandate-candidate-" + name);
        parent.setDaemon(true);
        parent.start();
        try {
            return started.join();
        } catch (RuntimeException e) {
            throw new AssertionError("can't start " + builder.command() + ": " + e.getCause(), e);
        }
    }

    private void begin() {
        Runtime.getRuntime().addShutdownHook(atExit);
        lines.read(process.getInputStream(), true, pid());
        lines.read(process.getErrorStream(), false, pid());
        if (isGroup) {
            // Until setsid has run there is no group to signal.
            Await.until(
                    this + " to lead its group",
                    SIGNAL_WITHIN,
                    () -> !process.isAlive() || new ProcessGroup(pid()).has(pid()));
        }
    }

    /** Its process id, which is also that of its group. */
    public long pid() {
        return process.pid();
    }

    /** Whether it runs or is frozen. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Its lines on standard output so far. */
    public List<String> lines() {
        return said().output();
    }

    /** All its lines so far on both streams, those of standard error marked {@code err:}. */
    public List<String> log() {
        return said().log();
    }

    /**
     * Waits for a line on standard output after the last one found, and returns it. Skips lines in between for good.
     *
     * @param what completes the sentence "waited for …"
     * @throws AssertionError if it does not come within {@code atMost}, or the output ends; shows the last lines
     */
    public String await(String what, Duration atMost, Predicate<String> isWanted) {
        try {
            return lines.await(atMost, isWanted)
                    .orElseThrow(() -> new AssertionError(this + ": waited for " + what + ", in vain for "
                            + atMost.toMillis() + " ms or until its output ended; it said\n" + tail()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(this + ": waited for " + what + ", and was interrupted", e);
        }
    }

    /** Writes a line to its standard input. */
    public void send(String line) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            throw new AssertionError(this + " does not read: " + e.getMessage() + "; it said\n" + tail(), e);
        }
    }

    /** How much processor time it has used so far; zero where the system does not say. */
    public Duration processorTime() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Ends its standard input. Idempotent. */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The process has ended, and its input with it.
        }
    }

    /** SIGKILL to it and its group; returns once it is gone. It cannot clean up. */
    public void kill() {
        killNow();
        awaitExit(SIGNAL_WITHIN);
        forget();
    }

    /** SIGSTOP to it and its group; returns once it has stopped, or without {@code /proc} once it is sent. */
    public void freeze() {
        signal("STOP");
        Await.until(this + " to be frozen", SIGNAL_WITHIN, () -> state() == 'T' || state() == '?');
    }

    /** SIGCONT to it and its group; returns once it may run. */
    public void thaw() {
        signal("CONT");
        Await.until(this + " to be thawed", SIGNAL_WITHIN, () -> state() != 'T');
    }

    /** SIGTERM to it and its group; does not wait. */
    public void terminate() {
        signal("TERM");
    }

    /**
     * Waits until it ends, and returns its exit code: 128 plus the signal's number if one killed it.
     *
     * @throws AssertionError if it does not end within {@code atMost}
     */
    public int awaitExit(Duration atMost) {
        try {
            if (process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new AssertionError(this + " did not end within " + atMost.toMillis() + " ms; it said\n" + tail());
    }

    /** Kills it, if it still runs, and its group; returns once it is gone. Idempotent. */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        killNow();
        awaitGone();
        forget();
    }

    private void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This JVM is already exiting, and the hook does the same.
        }
    }

    /** Until it is gone, its files are in use and its ports taken. */
    private void awaitGone() {
        try {
            process.waitFor(SIGNAL_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its last lines, for messages. */
    String tail() {
        return said().tail();
    }

    /** Its lines so far: all of them once it has ended, unless a process it left behind still writes. */
    private ProcessLines said() {
        if (!process.isAlive()) {
            lines.awaitEnds(LAST_WORDS);
        }
        return lines;
    }

    private void killNow() {
        // Kills also what it left behind in its group, but nobody who got its number since.
        if (isGroup && (process.isAlive() || new ProcessGroup(pid()).isLeftBehind())) {
            trySignal("KILL");
        }
        // By its handle: the process itself would close its output, and with it what is still unread.
        process.toHandle().destroyForcibly();
    }

    private void signal(String signal) {
        if (!process.isAlive()) {
            throw new AssertionError(this + " has ended before SIG" + signal + "; it said\n" + tail());
        }
        if (!trySignal(signal)) {
            throw new AssertionError(this + ": SIG" + signal + " can't be sent");
        }
    }

    private boolean trySignal(String signal) {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -s " + signal + " -- " + (isGroup ? "-" : "") + pid())
                    .redirectErrorStream(true)
                    .start();
            return kill.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The kernel's letter for its state; {@code ?} where the system does not say. */
    private char state() {
        return ProcessGroup.stat(pid(), ProcessGroup.STATE).charAt(0);
    }

    @Override
    public String toString() {
        return name + " (process " + pid() + ")";
    }
}
