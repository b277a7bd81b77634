package dev.mandate.examples.workers;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.RunOptions;
import dev.mandate.examples.legacy.Event;
import dev.mandate.examples.legacy.LegacyTable;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.sqlite.SQLiteDataSource;

/**
 * One of several workers: {@code Worker ID DATABASE-FILE}, with the URL of the store in {@code MANDATE_STORE}. On TERM,
 * and when its standard input ends, it exits and leaves nothing in the store.
 */
public final class Worker {
    /** The service in which workers register. */
    static final String SERVICE = "workers";

    /** The election of the worker that polls. */
    static final String ELECTION = "legacy-poller";

    private static final int BUSY_MILLIS = 60_000;
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Worker() {}

    /** Works until it is told to end. */
    public static void main(String[] args) throws Exception {
        String id = args[0];
        SQLiteDataSource database = database(Path.of(args[1]));
        LegacyTable table = new LegacyTable(database);
        WorkQueue queue = new WorkQueue(database);
        table.create();
        queue.create();
        ElectionClient client = ElectionClient.connect(System.getenv("MANDATE_STORE"));
        // The library installs no such hook: what to close, and when, is up to the program.
        Runtime.getRuntime().addShutdownHook(new Thread(client::close, "close"));
        endWithStandardInput();

        Registration registration = client.registry()
                .register(SERVICE, ServiceInstance.withoutAddress().withId(id));
        ServiceWatch workers = client.registry().watch(SERVICE);
        Candidacy candidacy = client.election(ELECTION)
                .runWhileLeader(id, RunOptions.DEFAULTS.withCampaignAgain(), leadership -> {
                    System.out.println(id + " leads, token " + leadership.fencingToken());
                    new Dispatcher(table, queue, workers).run(leadership);
                });

        System.out.println(id + " registered: " + registration.awaitRegistered(Duration.ofMinutes(1)));
        while (!candidacy.await(PAUSE)) {
            for (Event event : queue.of(id)) {
                System.out.println(id + " does " + event.payload());
                queue.done(id, event);
            }
        }
    }

    /** The database with the legacy table; not the store of the election. */
    static SQLiteDataSource database(Path file) {
        SQLiteDataSource database = new SQLiteDataSource();
        database.setUrl("jdbc:sqlite:" + file);
        database.getConfig().setBusyTimeout(BUSY_MILLIS);
        database.getConfig().setTransactionMode("IMMEDIATE");
        database.setJournalMode("WAL");
        return database;
    }

    private static void endWithStandardInput() {
        Thread reading = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Ignores the input.
                        }
                    } catch (IOException e) {
                        // The same as its end.
                    }
                    System.exit(0);
                },
                "standard-input");
        reading.setDaemon(true);
        reading.start();
    }
}
