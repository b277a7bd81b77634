package dev.mandate.testkit.history;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that stands in one election, observes it, and writes down what it believes and sees. It resigns at a line {@code resign} on
 * standard input, and closes its client and ends with its input.
 */
final class HistoryCandidate {
    /** The environment variable with the URL of the store: an environment is not shown to others, as arguments are. */
    static final String URL = "MANDATE_TRIAL_URL";

    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final long ASK_MILLIS = 5;

    private final HistoryLog log;
    private volatile @Nullable Leadership current;

    private HistoryCandidate(HistoryLog log) {
        this.log = log;
    }

    /** Arguments: the folder of the history, the election, the node, which life of it this is. */
    public static void main(String[] args) throws IOException {
        try (HistoryLog log = new HistoryLog(Path.of(args[0]), args[2], Integer.parseInt(args[3]))) {
            new HistoryCandidate(log).stand(args[1], args[2]);
        }
        System.exit(0);
    }

    private void stand(String name, String node) throws IOException {
        try (ElectionClient client = ElectionClient.at(System.getenv(URL))
                .candidate(node)
                .startup(STARTUP)
                .connect()) {
            log.tell(EventKind.UP, client.explain().recoveryAtMost().toNanos(), "");
            log.tell(EventKind.FOLLOWS, client.explain().failoverAtMost().toNanos(), "");
            System.out.println("up");
            Election election = client.election(name);
            try (Observing observing = election.observe(this::see);
                    Candidacy candidacy =
                            election.runWhileLeader(node, RunOptions.DEFAULTS.withStandAgain(), this::lead)) {
                obey();
            }
        }
        log.tell(EventKind.CLOSED, 0, "");
    }

    private void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Leadership leadership = current;
            if (line.equals("resign") && leadership != null) {
                leadership.resign();
            }
        }
    }

    private void see(LeaderView view) {
        if (view instanceof LeaderView.Led led) {
            log.tell(EventKind.SEES_LEADER, led.by().token().value(), "");
        } else {
            log.tell(view instanceof LeaderView.Vacant ? EventKind.SEES_NOBODY : EventKind.SEES_UNKNOWN, 0, "");
        }
    }

    /** The work: to ask all the time. It ends as soon as it is interrupted, or the term is over. */
    private void lead(Leadership leadership) {
        long token = leadership.fencingToken().value();
        log.tell(EventKind.ENTERED, token, "");
        current = leadership;
        leadership.lost().thenAccept(reason -> log.tell(EventKind.LOST, token, reason.name()));
        try {
            if (leadership.isValid()) {
                // The clock is read after the question: it was believed at this time at the latest.
                log.tell(EventKind.BEGAN, token, "");
            }
            while (true) {
                TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
                // The clock is read before the question: it was believed at this time or later.
                long before = System.nanoTime();
                if (!leadership.isValid()) {
                    break;
                }
                log.tell(before, EventKind.BELIEVED, token, "");
            }
        } catch (InterruptedException e) {
            // The term is over.
        } finally {
            current = null;
            log.tell(EventKind.LEFT, token, "");
        }
    }
}
