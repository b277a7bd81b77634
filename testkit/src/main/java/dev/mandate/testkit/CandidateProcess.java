package dev.mandate.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
 * A child process that a test kills with SIGKILL and freezes with SIGSTOP. It tells what it does in lines on its standard output, which the
 * test waits for:
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
 * <p>On Linux it leads a process group of its own, and signals go to the whole group; elsewhere to the process alone. It is killed when
 * closed, when this JVM exits, and on Linux, where {@code setpriv} is installed, also when this JVM is killed.
 *
 * <p>Keeps the last 10,000 lines. Safe for use from many threads.
 */
public final class CandidateProcess implements AutoCloseable {
    private static final Duration SIGNAL_WITHIN = Duration.ofSeconds(20);

    /** How long is waited for what is still to be read of a process that has ended. */
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

    /** A Java program: {@code main} in a new JVM with the class path of this one. */
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

        /** Adds a variable to its environment, which is otherwise that of this process. */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /** Starts it by this command, which must become it: {@code nsenter} for instance. */
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
     * Starts it on a thread that lives as long as the process: the signal at the parent's death is sent when the <em>thread</em> that
     * started the child ends.
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
                    () -> !process.isAlive() || stat(2).equals(Long.toString(pid())));
        }
    }

    /** Its process id, which is that of its group, too. */
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

    /** All it said so far on both streams, those of standard error marked {@code err:}. */
    public List<String> log() {
        return said().log();
    }

    /**
     * Waits for a line on standard output after the one that was found last, and returns it. Lines in between are passed over for good.
     *
     * @param what completes the sentence "waited for …"
     * @throws AssertionError if it does not come within {@code atMost}, or its output ends; shows its last lines
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

    /** How much processor time it has used so far; zero where the system does not tell. */
    public Duration processorTime() {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Ends its standard input. Idempotent. */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has gone already: so has its input.
        }
    }

    /** SIGKILL to it and its group; returns once it is gone. Nothing of it gets to say goodbye. */
    public void kill() {
        killNow();
        awaitExit(SIGNAL_WITHIN);
    }

    /** SIGSTOP to it and its group; returns once it stands still. On systems without {@code /proc}, once the signal is sent. */
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
     * Waits for its end, and returns its exit code: 128 plus the signal's number if one killed it.
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
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This JVM exits already, and the hook does the same.
        }
    }

    /** Until then its files are in use and its ports taken. */
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

    /** What it said: once it has ended, all of it, unless a process it left behind goes on saying something. */
    private ProcessLines said() {
        if (!process.isAlive()) {
            lines.awaitEnds(LAST_WORDS);
        }
        return lines;
    }

    private void killNow() {
        if (isGroup) {
            // What it left behind in its group goes, too, even if it has ended itself. (Its number is not used again as
            // long as somebody is in the group, and not soon after that.)
            trySignal("KILL");
        }
        process.destroyForcibly();
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

    /** The letter by which the kernel calls its state; {@code ?} where it does not tell. */
    private char state() {
        return stat(0).charAt(0);
    }

    /** What the kernel says of it: 0 for its state, 2 for its group; {@code ?} where it does not tell. */
    private String stat(int field) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid()), "stat"), StandardCharsets.ISO_8859_1);
            // The name before it, in parentheses, may hold anything.
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[field];
        } catch (IOException | RuntimeException e) {
            return "?";
        }
    }

    @Override
    public String toString() {
        return name + " (process " + pid() + ")";
    }
}
