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
 * A process that campaigns in an election, observes it, and writes down what it believes and sees; then does so in the
 * next one, with another client. It reads its orders from standard input, words separated by tabs: {@code campaign},
 * {@code resign}, {@code leave}. It ends with its input. An argument would show the URL to others.
 */
final class HistoryCandidate {
    static final String CAMPAIGN = "campaign";
    static final String RESIGN = "resign";
    static final String LEAVE = "leave";

    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final long ASK_MILLIS = 5;

    private final HistoryLog log;
    private final BufferedReader in;
    private volatile @Nullable Leadership current;

    private HistoryCandidate(HistoryLog log, BufferedReader in) {
        this.log = log;
        this.in = in;
    }

    /** No arguments. */
    public static void main(String[] args) throws IOException {
        if (Boolean.getBoolean(FullCommonPool.PROPERTY)) {
            FullCommonPool.fill();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split("\t");
            if (words[0].equals(CAMPAIGN)) {
                campaign(in, words[1], words[2], words[3], Integer.parseInt(words[4]), words[5]);
            }
        }
        System.exit(0);
    }

    /** The order to campaign in {@code election}; {@code life} counts the processes that were {@code node} in it. */
    static String campaign(Path folder, String election, String node, int life, String url) {
        return String.join("\t", CAMPAIGN, folder.toString(), election, node, Integer.toString(life), url);
    }

    /** What it prints once its client is open. */
    static String up(String election, int life) {
        return "up " + election + " " + life;
    }

    /** What it prints once its client is closed. */
    static String left(String election, int life) {
        return "left " + election + " " + life;
    }

    private static void campaign(BufferedReader in, String folder, String election, String node, int life, String url)
            throws IOException {
        try (HistoryLog log = new HistoryLog(Path.of(folder), node, life)) {
            new HistoryCandidate(log, in).campaign(election, node, life, url);
        }
        System.out.println(left(election, life));
    }

    private void campaign(String name, String node, int life, String url) throws IOException {
        try (ElectionClient client = ElectionClient.builder(url)
                .candidate(node)
                .connectTimeout(STARTUP)
                .connect()) {
            log.tell(EventKind.UP, client.explain().recoveryAtMost().toNanos(), "");
            log.tell(EventKind.FOLLOWS, client.explain().failoverAtMost().toNanos(), "");
            System.out.println(up(name, life));
            Election election = client.election(name);
            try (Observing observing = election.observe(this::see);
                    Candidacy candidacy =
                            election.runWhileLeader(node, RunOptions.DEFAULTS.withCampaignAgain(), this::lead)) {
                obey();
            }
        }
        log.tell(EventKind.CLOSED, 0, "");
    }

    private void obey() throws IOException {
        for (String line = in.readLine(); line != null && !line.equals(LEAVE); line = in.readLine()) {
            Leadership leadership = current;
            if (line.equals(RESIGN) && leadership != null) {
                leadership.resign();
            }
        }
    }

    private void see(LeaderView view) {
        if (view instanceof LeaderView.Led led) {
            log.tell(EventKind.SEES_LEADER, led.current().token().value(), "");
        } else {
            log.tell(view instanceof LeaderView.Vacant ? EventKind.SEES_NOBODY : EventKind.SEES_UNKNOWN, 0, "");
        }
    }

    /** The work: it keeps asking, and ends as soon as it is interrupted or the term is over. */
    private void lead(Leadership leadership) {
        long token = leadership.fencingToken().value();
        log.tell(EventKind.ENTERED, token, "");
        current = leadership;
        leadership.ended().thenAccept(reason -> log.tell(EventKind.LOST, token, reason.name()));
        try {
            if (leadership.isValid()) {
                // The clock is read after the question, so belief began at this time at the latest.
                log.tell(EventKind.BEGAN, token, "");
            }
            while (true) {
                TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
                // The clock is read before the question, so belief lasted until this time at least.
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
