package dev.mandate.demo;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.console.Failure;
import dev.mandate.console.SilentLibraries;
import dev.mandate.console.StoreAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One candidate process: campaigns in one election and prints {@link Report} lines on standard output. Resigns at a
 * line {@code resign} on standard input. Ends when standard input ends, so it does not outlive its parent.
 *
 * <p>The environment holds the store's URL, which may contain a secret.
 */
public final class Worker {
    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final long BEAT_MILLIS = 20;

    private final CountDownLatch inputEnded = new CountDownLatch(1);
    private volatile @Nullable Leadership current;

    private Worker() {}

    /**
     * Runs until standard input ends.
     *
     * @param args the election, the candidate's id, and the lease in milliseconds or 0 for that in the URL
     */
    public static void main(String[] args) throws InterruptedException {
        SilentLibraries.install();
        Worker worker = new Worker();
        Thread input = new Thread(worker::obey, "worker-input");
        input.setDaemon(true);
        input.start();
        try {
            worker.campaign(args[0], args[1], Long.parseLong(args[2]));
        } catch (RuntimeException e) {
            say(new Report.Failed(String.valueOf(Failure.of(e).getMessage())));
            System.exit(1);
        }
        System.exit(0);
    }

    private void campaign(String name, String candidate, long leaseMillis) throws InterruptedException {
        ElectionClient.Builder builder = StoreAddress.resolve(null, System.getenv())
                .client()
                .candidate(candidate)
                .connectTimeout(STARTUP);
        if (leaseMillis > 0) {
            builder.lease(Duration.ofMillis(leaseMillis));
        }
        try (ElectionClient client = builder.connect()) {
            Election election = client.election(name);
            try (Observing observing = election.observe(view -> say(new Report.Sees(
                            view.leader().map(l -> l.token().value()).orElse(0L))));
                    Candidacy candidacy = election.runWhileLeader(candidate, RunOptions.DEFAULTS, this::lead)) {
                while (!inputEnded.await(BEAT_MILLIS, TimeUnit.MILLISECONDS)) {
                    beat();
                }
            }
        }
    }

    private void lead(Leadership leadership) throws InterruptedException {
        current = leadership;
        long token = leadership.fencingToken().value();
        leadership.ended().thenAccept(reason -> say(new Report.Lost(token, reason.toString())));
        if (leadership.isValid()) {
            // Reads the clock after isValid(): this worker believed at that time or earlier.
            say(new Report.Leads(token, Report.micros()));
        }
        // There is no work; an interruption ends it.
        inputEnded.await();
    }

    /** Reads the clock before {@code isValid()}: a {@code true} was true at that time or later. */
    private void beat() {
        Leadership leadership = current;
        if (leadership != null) {
            long before = Report.micros();
            say(new Report.Beat(leadership.fencingToken().value(), before, leadership.isValid()));
        }
    }

    private void obey() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Leadership leadership = current;
                if (line.equals("resign") && leadership != null) {
                    leadership.resign();
                }
            }
        } catch (IOException e) {
            // The same as its end.
        }
        inputEnded.countDown();
    }

    private static void say(Report report) {
        System.out.println(Leader.printable(report.line()));
    }
}
