package dev.mandate.bench;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.demo.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link MemberMain} or {@link RegistrantMain} in its own process. Used by one thread, which must outlive it. */
final class BenchProcess implements AutoCloseable {
    private static final long FAREWELL_SECONDS = 5;
    private static final long KILLED_WITHIN_SECONDS = 20;

    private final Process process;
    private final BufferedReader out;

    private BenchProcess(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Starts a process; it is ready after {@link #awaitReady}. */
    static BenchProcess start(Class<?> main, StoreAddress store) {
        List<String> options = List.of("-XX:+UseSerialGC", "-Xmx128m", "-Dmandate.cli.log=ERROR");
        try {
            return new BenchProcess(ChildJvm.of(main, options, List.of(), store).start());
        } catch (IOException e) {
            throw new Failure(ExitCode.SETUP, "a process could not be started: " + e.getMessage(), e);
        }
    }

    void awaitReady() {
        read();
    }

    /** Sends a line and waits for the answer. */
    String ask(String line) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            in.flush();
        } catch (IOException e) {
            throw ended(e);
        }
        return read();
    }

    /**
     * For the main method of such a process: reports that it is ready, answers each line on standard input, and returns
     * when the input ends.
     */
    static void serve(Answer answer) throws IOException, InterruptedException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            System.out.println("ready");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println(answer.to(line.split(" ")));
            }
        }
    }

    /** Obeys a line, given by its words, and answers it. */
    interface Answer {
        String to(String[] words) throws InterruptedException;
    }

    /** Asks a member for its counts. */
    MemberCount count() {
        return MemberCount.parse(ask("count"));
    }

    private String read() {
        try {
            String line = out.readLine();
            if (line == null) {
                throw new IOException("it has ended");
            }
            return line;
        } catch (IOException e) {
            throw ended(e);
        }
    }

    private Failure ended(IOException e) {
        return new Failure(
                ExitCode.UNAVAILABLE,
                "process " + process.pid() + " of the bench does not answer: " + e.getMessage(),
                e);
    }

    /** Sends SIGKILL and waits until it is gone. Returns the {@link System#nanoTime()} just before the signal. */
    long kill() throws InterruptedException {
        long before = System.nanoTime();
        process.destroyForcibly();
        if (!process.waitFor(KILLED_WITHIN_SECONDS, TimeUnit.SECONDS)) {
            throw new Failure(ExitCode.UNEXPECTED, "process " + process.pid() + " of the bench could not be killed");
        }
        return before;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
