package dev.mandate.cli.run;

import dev.mandate.console.Arguments;
import dev.mandate.console.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * One run of a command under a supervisor: a small process that kills the command when the last deadline it received
 * has passed, or when this process is dead. Deadlines are sent as {@link Instants}: TERM at stopAt, KILL a
 * <em>grace</em> later, which is less than the drain budget, so that the command is dead before the deadline.
 *
 * <p>Used by one thread, except {@link #signal}, {@link #hurry} and {@link #kill}.
 */
final class SupervisedCommand implements AutoCloseable {
    private static final String SCRIPT = "/dev/mandate/cli/supervisor.bash";
    /** This share of the grace after the time to kill, this process kills instead of the supervisor. */
    private static final int PATIENCE_SHARE = 9;
    /** How long a running supervisor may leave a line unread; it normally reads at once. */
    private static final Duration SILENCE = Duration.ofSeconds(2);
    /** How long the supervisor may take to start. Until then there is no command to supervise. */
    private static final Duration START = Duration.ofSeconds(30);
    /** Looks at the supervisor are 250 ms apart at most; of a longer gap only this much counts as its silence. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /** The exit code of a supervisor that was too late to start the command. */
    private static final int LATE = 124;
    /** The exit code of a rehearsal's command; nothing else here exits with it. */
    private static final int REHEARSED = 23;

    private final Path folder;
    private final RandomAccessFile control;
    /** Grows by a byte when the command starts, and by one when it has ended. Kept open: its folder may be cleaned. */
    private final RandomAccessFile state;

    /** The control pipe as a stream. Created once: streams stay attached to a descriptor. Closing it would close it. */
    private final FileInputStream unread;

    private final Process supervisor;
    private final Duration grace;
    private Instants term;
    /** How long the supervisor has not started; from its first byte on, how long it has left a line unread. */
    private long silentNanos;

    private long lookedNanos;

    private boolean begun;
    private boolean stopped;

    private SupervisedCommand(
            Path folder,
            RandomAccessFile control,
            RandomAccessFile state,
            Process supervisor,
            Duration grace,
            Instants term)
            throws IOException {
        this.folder = folder;
        this.control = control;
        this.state = state;
        this.unread = new FileInputStream(control.getFD());
        this.supervisor = supervisor;
        this.grace = grace;
        this.term = term;
        this.lookedNanos = System.nanoTime();
    }

    /** How a command ended. */
    enum End {
        /** By itself or by a signal; its exit code is known. */
        ENDED,
        /** It was not started: the deadline had passed, or a stop had come, before the supervisor was there. */
        TOO_LATE,
        /** It was not started: the supervisor, or its launcher, said on standard error what was wrong. */
        NEVER_STARTED,
        /** The supervisor was killed; the command was killed, too, or never started. */
        ORPHANED
    }

    /**
     * Starts {@code command}.
     *
     * @param variables to add to the environment of this process
     * @param remaining for how long it may run, as far as is known now
     * @param hidden which variables of this process the command does not get
     * @param grace from TERM to KILL
     * @throws IOException if it could not be started, or the term is over already
     */
    static SupervisedCommand start(
            List<String> command,
            Map<String, String> variables,
            Supplier<Duration> remaining,
            Predicate<String> hidden,
            Duration grace)
            throws IOException {
        return start(commandFile(command, variables), termOf(remaining), hidden, grace);
    }

    /**
     * Does all that {@link #start} does, with a command that ends at once, to find what this machine lacks before
     * anybody campaigns or registers.
     *
     * @throws IOException if something is missing; says what
     */
    static void rehearse(Predicate<String> hidden, Duration grace) throws IOException, InterruptedException {
        byte[] command = commandFile(List.of("sh", "-c", "exit " + REHEARSED), Map.of("MANDATE_TOKEN", "0"));
        Instants term = Instants.now().plus(START);
        try (SupervisedCommand rehearsal = start(command, term, hidden, grace)) {
            if (!rehearsal.supervisor.waitFor(START.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("a supervisor was started, and did not end within " + START.toSeconds() + " s");
            }
            if (rehearsal.exitCode() != REHEARSED) {
                throw new IOException("a supervisor was started, and ended with " + rehearsal.exitCode()
                        + " instead of " + REHEARSED);
            }
        }
    }

    private static SupervisedCommand start(byte[] command, Instants term, Predicate<String> hidden, Duration grace)
            throws IOException {
        Path folder = Folders.create();
        try {
            try (InputStream script = SupervisedCommand.class.getResourceAsStream(SCRIPT)) {
                if (script == null) {
                    throw new IOException("the jar lacks " + SCRIPT);
                }
                Files.copy(script, folder.resolve("supervisor"));
            }
            Files.write(folder.resolve("command"), command);
            Folders.makePipe(folder.resolve("control"));
            // For writing and reading: opening for writing alone waits for a reader.
            RandomAccessFile control =
                    new RandomAccessFile(folder.resolve("control").toFile(), "rw");
            RandomAccessFile state = null;
            try {
                state = new RandomAccessFile(folder.resolve("state").toFile(), "rw");
                send(control, "lead " + term + " " + term.plus(grace));
                return new SupervisedCommand(folder, control, state, spawn(folder, hidden, grace), grace, term);
            } catch (Throwable e) {
                // A supervisor that was started nevertheless finds the pipe at its end, and stops or starts nothing.
                control.close();
                if (state != null) {
                    state.close();
                }
                throw e;
            }
        } catch (Throwable e) {
            Folders.delete(folder);
            throw e;
        }
    }

    private static byte[] commandFile(List<String> command, Map<String, String> variables) {
        List<String> strings = new ArrayList<>();
        variables.forEach((name, value) -> strings.add(name + "=" + value));
        strings.add("");
        strings.addAll(command);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String string : strings) {
            bytes.writeBytes(Arguments.bytes(string));
            bytes.write(0);
        }
        return bytes.toByteArray();
    }

    private static Process spawn(Path folder, Predicate<String> hidden, Duration grace) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "setsid",
                        "bash",
                        "-p",
                        folder.resolve("supervisor").toString(),
                        folder.toString(),
                        Long.toString(grace.toMillis()))
                .inheritIO();
        if (StandardInput.isClosed()) {
            builder.redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
        }
        builder.environment().keySet().removeIf(hidden);
        // Bash writes its own options into these if they are set, and the command would inherit them.
        builder.environment().keySet().removeAll(List.of("SHELLOPTS", "BASHOPTS"));
        return builder.start();
    }

    /** When the term is over at the latest. Reads the clocks first, so that a pause in between makes it earlier. */
    private static Instants termOf(Supplier<Duration> remaining) throws IOException {
        Instants now = Instants.now();
        return now.plus(remaining.get());
    }

    /**
     * Waits at most {@code atMost} for the command's end, then sends the supervisor any later deadline.
     *
     * @return whether the command has ended
     */
    boolean awaitAndProlong(Supplier<Duration> remaining, Duration atMost) throws IOException, InterruptedException {
        if (supervisor.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            return true;
        }
        requireListening();
        Instants newTerm = termOf(remaining);
        if (newTerm.prolongs(term, atMost)) {
            term = newTerm;
            send("lead " + term + " " + term.plus(grace));
        }
        return false;
    }

    /**
     * Fails if the supervisor does not read, because it is frozen for instance: then it protects nobody. A long gap
     * between two looks counts as {@link #LOOK}: this process stood still meanwhile, perhaps with the supervisor, and
     * the unread line may be new. A thawed process gets CONT, for one, and passes it on.
     */
    private void requireListening() throws IOException {
        long now = System.nanoTime();
        silentNanos += Math.min(now - lookedNanos, LOOK.toNanos());
        lookedNanos = now;
        boolean responds = begun ? unread.available() == 0 : state.length() > 0;
        if (responds) {
            begun = true;
            silentNanos = 0;
        } else if (begun && silentNanos > SILENCE.toNanos()) {
            throw new IOException("the supervisor of the command (process " + supervisor.pid() + ") does not respond");
        } else if (!begun && silentNanos > START.toNanos()) {
            throw new IOException("the supervisor of the command (process " + supervisor.pid()
                    + ") did not start it within " + START.toSeconds() + " s");
        }
    }

    /** Sends a signal, {@code INT} for instance, to the command's process group. */
    void signal(String name) throws IOException {
        send("signal " + name);
    }

    /** Sends TERM, then KILL after the grace or at the term's own time to kill. Nothing prolongs the term any more. */
    void hurry() throws IOException {
        send("stop " + Instants.now().plus(grace));
    }

    /** Kills the command and all that it started. */
    void kill() throws IOException {
        send("stop " + Instants.now());
    }

    /**
     * {@link #hurry}, then waits until everything is dead. Restores an interruption instead of ending early.
     *
     * @throws IOException if the supervisor could not be reached; then everything was killed at once
     */
    void stop() throws IOException {
        boolean interrupted = Thread.interrupted();
        stopped = true;
        try {
            hurry();
            long patience = System.nanoTime()
                    + grace.plus(grace.dividedBy(PATIENCE_SHARE)).toNanos();
            for (boolean ended = false; !ended && patience - System.nanoTime() > 0; ) {
                try {
                    ended = supervisor.waitFor(patience - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted | killRest()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Kills what is left of the session, and waits for the supervisor's end. Returns whether it was interrupted. */
    private boolean killRest() {
        boolean interrupted = false;
        while (true) {
            try {
                if (supervisor.isAlive()) {
                    session().killAll();
                    supervisor.destroyForcibly();
                    supervisor.waitFor();
                }
                session().killAll();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /** The session that the supervisor and the command are in. */
    ProcessSession session() {
        return new ProcessSession(supervisor.pid());
    }

    /** The files shared with the supervisor. */
    Path folder() {
        return folder;
    }

    /** How the command ended. Call only after its end. */
    End end() {
        long said;
        try {
            said = state.length();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (said == 0) {
            if (stopped || exitCode() == LATE) {
                return End.TOO_LATE;
            }
            return exitCode() > ExitCode.SIGNAL ? End.ORPHANED : End.NEVER_STARTED;
        }
        // A supervisor that was too slow to stop was killed from here, and may not have written its last byte.
        return stopped || said > 1 ? End.ENDED : End.ORPHANED;
    }

    /** The command's exit code, 128 and the signal's number if a signal ended it. Call only after its end. */
    int exitCode() {
        return supervisor.exitValue();
    }

    /** Sends a line to the supervisor. */
    void send(String line) throws IOException {
        send(control, line);
    }

    private static void send(RandomAccessFile control, String line) throws IOException {
        // One write: the kernel keeps lines of this length whole.
        control.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Kills what is left and removes the folder. Idempotent. */
    @Override
    public void close() {
        if (killRest()) {
            Thread.currentThread().interrupt();
        }
        try (control;
                state) {
            // Only closes both.
        } catch (IOException e) {
            // Nobody reads the pipe any more.
        }
        Folders.delete(folder);
    }
}
