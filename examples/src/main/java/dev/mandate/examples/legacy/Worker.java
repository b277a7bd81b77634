package dev.mandate.examples.legacy;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.RunOptions;
import dev.mandate.jdbc.StaleTokenException;
import java.io.IOException;
import java.io.PrintStream;
import org.sqlite.SQLiteDataSource;

/**
 * One of several workers: {@code Worker STORE-URL DATABASE-FILE fenced|unfenced [ask]}. Reports what it does on
 * standard output, one line each. With {@code ask} it waits for a line on standard input between reading and queueing,
 * to make that moment as long as wanted.
 */
public final class Worker {
    private static final int BUSY_MILLIS = 5_000;

    private Worker() {}

    /** Runs until killed. */
    public static void main(String[] args) throws Exception {
        if (args.length < 3 || !args[2].equals("fenced") && !args[2].equals("unfenced")) {
            System.err.println("usage: Worker STORE-URL DATABASE-FILE fenced|unfenced [ask]");
            System.exit(2);
        }
        SQLiteDataSource database = new SQLiteDataSource();
        database.setUrl("jdbc:sqlite:" + args[1]);
        database.getConfig().setBusyTimeout(BUSY_MILLIS);
        database.getConfig().setTransactionMode("IMMEDIATE");
        LegacyTable table = new LegacyTable(database);
        Outbox outbox = args[2].equals("fenced") ? new FencedOutbox(database) : new UnfencedOutbox(database);
        table.create();
        outbox.create();
        run(args[0], table, outbox, args.length > 3);
    }

    private static void run(String url, LegacyTable table, Outbox outbox, boolean asks) throws InterruptedException {
        PrintStream out = System.out;
        LegacyPoller poller = new LegacyPoller(
                table,
                outbox,
                count -> {
                    out.println("read " + count);
                    if (asks) {
                        waitForLine();
                    }
                },
                count -> out.println("queued " + count));
        try (ElectionClient client = ElectionClient.connect(url);
                Candidacy candidacy = client.election("legacy-poller")
                        .runWhileLeader(client.candidate(), RunOptions.DEFAULTS.withCampaignAgain(), leadership -> {
                            out.println("leading " + leadership.fencingToken());
                            leadership.ended().thenAccept(reason -> out.println("lost " + reason));
                            try {
                                poller.run(leadership);
                            } catch (StaleTokenException e) {
                                out.println("refused " + leadership.fencingToken() + ": " + e.getMessage());
                            }
                        })) {
            candidacy.await();
        }
    }

    private static void waitForLine() {
        try {
            int c = System.in.read();
            while (c >= 0 && c != '\n') {
                c = System.in.read();
            }
        } catch (IOException e) {
            throw new IllegalStateException("standard input can't be read", e);
        }
    }
}
