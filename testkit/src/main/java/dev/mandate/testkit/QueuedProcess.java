package dev.mandate.testkit;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Order;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A process that waits for one election by order of arrival, for a test that kills or freezes it. It reads its order
 * from standard input, words separated by tabs: an argument would show the URL to others.
 */
final class QueuedProcess {
    private static final String STANDS = "stands";
    private static final String LEADS = "leads";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private QueuedProcess() {}

    /** No arguments. Closes its client when its input ends. */
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String[] order = in.readLine().split("\t");
        try (ElectionClient client = ElectionClient.builder(order[0])
                        .candidate(order[2])
                        .order(Order.ARRIVAL)
                        .connectTimeout(PATIENCE)
                        .connect();
                Candidacy candidacy = client.election(order[1]).runWhileLeader(order[2], QueuedProcess::lead)) {
            System.out.println(STANDS);
            in.lines().forEach(line -> {});
        }
        Runtime.getRuntime().halt(0);
    }

    /** Leads until it is interrupted. */
    private static void lead(Leadership term) throws InterruptedException {
        System.out.println(LEADS);
        new CountDownLatch(1).await();
    }

    /**
     * Starts a process that campaigns when this returns.
     *
     * @throws AssertionError if it does not in time
     */
    static CandidateProcess start(String url, String election, String candidate, Duration atMost) {
        CandidateProcess process = CandidateProcess.java(QueuedProcess.class).start();
        try {
            process.send(String.join("\t", url, election, candidate));
            process.await("its candidacy", atMost, STANDS::equals);
            return process;
        } catch (RuntimeException | Error e) {
            process.close();
            throw e;
        }
    }

    /** Waits until it leads. */
    static void awaitLeading(CandidateProcess process, Duration atMost) {
        process.await("its term", atMost, LEADS::equals);
    }
}
