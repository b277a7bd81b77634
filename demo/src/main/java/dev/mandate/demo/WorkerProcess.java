package dev.mandate.demo;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/** A {@link Worker} in its own process. Safe for use from many threads. */
final class WorkerProcess implements AutoCloseable {
    private static final Duration SIGNAL_WITHIN = Duration.ofSeconds(20);

    private final String name;
    private final Process process;
    private volatile boolean isKilled;

    private WorkerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    /**
     * Starts a worker.
     *
     * @param leaseMillis 0 for the lease in the URL
     * @param reports receives every report with the {@link System#nanoTime()} of its arrival, on a thread of its own
     * @param ended is called on that thread after the last report
     */
    static WorkerProcess start(
            String name,
            String election,
            StoreAddress store,
            long leaseMillis,
            ObjLongConsumer<Report> reports,
            Consumer<Process> ended) {
        // Workers are small and start together. A frozen one need not log that it overran: we froze it.
        List<String> options =
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-Dmandate.cli.log=ERROR");
        return start(
                name,
                ChildJvm.of(Worker.class, options, List.of(election, name, Long.toString(leaseMillis)), store),
                reports,
                ended);
    }

    /** Starts the worker that {@code builder} says. */
    static WorkerProcess start(
            String name, ProcessBuilder builder, ObjLongConsumer<Report> reports, Consumer<Process> ended) {
        CompletableFuture<Process> started = new CompletableFuture<>();
        // For setpriv the parent is the thread that starts the process, so it stays until the output ends.
        Thread reader = new Thread(() -> run(builder, started, reports, ended), "demo-" + name);
        reader.setDaemon(true);
        reader.start();
        try {
            return new WorkerProcess(name, started.join());
        } catch (CompletionException e) {
            throw new Failure(
                    ExitCode.SETUP,
                    "a process could not be started (" + e.getCause() + "); check for free memory and process numbers",
                    e);
        }
    }

    private static void run(
            ProcessBuilder builder,
            CompletableFuture<Process> started,
            ObjLongConsumer<Report> reports,
            Consumer<Process> ended) {
        Process process;
        try {
            process = builder.start();
        } catch (Throwable e) {
            started.completeExceptionally(e);
            return;
        }
        started.complete(process);
        try {
            read(process, reports);
        } catch (IOException e) {
            // The same as its end.
        } catch (Throwable e) {
            // Nobody would hear of it any more.
            process.destroyForcibly();
            throw e;
        } finally {
            awaitEnd(process);
            ended.accept(process);
        }
    }

    private static void read(Process process, ObjLongConsumer<Report> reports) throws IOException {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                long now = System.nanoTime();
                Report report = Report.parse(line);
                if (report != null) {
                    reports.accept(report, now);
                }
            }
        }
    }

    private static void awaitEnd(Process process) {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether {@link #kill} was called. */
    boolean isKilled() {
        return isKilled;
    }

    /** Sends SIGKILL and waits until it is gone. Returns the {@link System#nanoTime()} just before the signal. */
    long kill() throws InterruptedException {
        isKilled = true;
        long before = System.nanoTime();
        process.destroyForcibly();
        if (!process.waitFor(SIGNAL_WITHIN.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new Failure(ExitCode.NOT_SHOWN, this + " could not be killed");
        }
        return before;
    }

    /** Sends SIGSTOP. Returns the {@link System#nanoTime()} just after the signal. */
    long freeze() throws InterruptedException {
        signal("STOP");
        return System.nanoTime();
    }

    /** Sends SIGCONT. */
    void thaw() throws InterruptedException {
        signal("CONT");
    }

    /** Asks it to resign. */
    void resign() {
        try {
            OutputStream in = process.getOutputStream();
            in.write("resign\n".getBytes(StandardCharsets.US_ASCII));
            in.flush();
        } catch (IOException e) {
            throw new Failure(ExitCode.NOT_SHOWN, this + " no longer reads commands: " + e.getMessage(), e);
        }
    }

    private void signal(String signal) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + pid())
                    .redirectErrorStream(true)
                    .start();
            if (!kill.waitFor(SIGNAL_WITHIN.toNanos(), TimeUnit.NANOSECONDS) || kill.exitValue() != 0) {
                throw new Failure(ExitCode.NOT_SHOWN, this + " could not be sent SIG" + signal);
            }
        } catch (IOException e) {
            throw new Failure(ExitCode.NOT_SHOWN, this + " could not be sent SIG" + signal + ": " + e.getMessage(), e);
        }
    }

    /** Lets it withdraw and end by itself; does not wait. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** Waits for its end for at most {@code atMost}. */
    void awaitEnd(Duration atMost) {
        try {
            process.waitFor(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills it, frozen or not, without waiting. */
    void killNow() {
        process.destroyForcibly();
    }

    /** Kills it, frozen or not, and waits for its end. Idempotent. */
    @Override
    public void close() {
        killNow();
        awaitEnd(SIGNAL_WITHIN);
    }

    @Override
    public String toString() {
        return name + " (process " + pid() + ")";
    }
}
