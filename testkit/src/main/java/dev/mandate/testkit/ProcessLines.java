package dev.mandate.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The output of a child process so far, on both streams. */
final class ProcessLines {
    static final int LINES_MAX = 10_000;
    private static final int LINES_SHOWN = 30;

    /** Guards everything below. */
    private final Object lock = new Object();

    private final Deque<String> output = new ArrayDeque<>();
    private final Deque<String> log = new ArrayDeque<>();
    /** How many lines of output were dropped before the first kept one. */
    private long dropped;
    /** How many lines of output {@link #await} has passed. */
    private long passed;

    private boolean isOver;

    /** How many streams are still read. */
    private int open;

    /** Reads a stream to its end, on its own thread. */
    void read(InputStream stream, boolean isOutput, long pid) {
        synchronized (lock) {
            open++;
        }
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader lines =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            add(line, isOutput);
                        }
                    } catch (IOException e) {
                        add("(reading ended: " + e.getMessage() + ")", false);
                    }
                    end(isOutput);
                },
                "mandate-candidate-" + (isOutput ? "out-" : "err-") + pid);
        reader.setDaemon(true);
        reader.start();
    }

    private void add(String line, boolean isOutput) {
        synchronized (lock) {
            if (isOutput) {
                output.add(line);
                if (output.size() > LINES_MAX) {
                    output.remove();
                    dropped++;
                }
            }
            log.add(isOutput ? line : "err: " + line);
            if (log.size() > LINES_MAX) {
                log.remove();
            }
            lock.notifyAll();
        }
    }

    private void end(boolean isOutput) {
        synchronized (lock) {
            open--;
            isOver |= isOutput;
            lock.notifyAll();
        }
    }

    /** Waits until all streams have ended, or the time is over. */
    void awaitEnds(Duration atMost) {
        long start = System.nanoTime();
        synchronized (lock) {
            long left = atMost.toNanos();
            while (open > 0 && left > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(lock, left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
                left = atMost.toNanos() - (System.nanoTime() - start);
            }
        }
    }

    List<String> output() {
        synchronized (lock) {
            return List.copyOf(output);
        }
    }

    List<String> log() {
        synchronized (lock) {
            return List.copyOf(log);
        }
    }

    /** The last lines, for messages. */
    String tail() {
        List<String> all = log();
        return String.join("\n", all.subList(Math.max(0, all.size() - LINES_SHOWN), all.size()));
    }

    /** The next wanted line of output; empty if the output has ended or the time is over. */
    Optional<String> await(Duration atMost, Predicate<String> isWanted) throws InterruptedException {
        long start = System.nanoTime();
        synchronized (lock) {
            while (true) {
                Optional<String> found = next(isWanted);
                long left = atMost.toNanos() - (System.nanoTime() - start);
                if (found.isPresent() || isOver || left <= 0) {
                    return found;
                }
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
        }
    }

    private Optional<String> next(Predicate<String> isWanted) {
        long number = dropped;
        for (String line : output) {
            number++;
            if (number > passed) {
                passed = number;
                if (isWanted.test(line)) {
                    return Optional.of(line);
                }
            }
        }
        return Optional.empty();
    }
}
