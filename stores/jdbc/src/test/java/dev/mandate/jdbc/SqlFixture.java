package dev.mandate.jdbc;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Clients of one database, and its operator. */
abstract class SqlFixture {
    private final List<StoreClient> clients = new ArrayList<>();

    /** Another store on the same tables. */
    abstract JdbcElectionStore open() throws Exception;

    /** A connection of the operator's. */
    abstract Connection operator() throws SQLException;

    StoreClient client() throws Exception {
        return adopt(new StoreClient(open()));
    }

    /** Closes it after the test. */
    StoreClient adopt(StoreClient client) {
        clients.add(client);
        return client;
    }

    static RecordKey key(String name) {
        return RecordKey.election(
                name + "-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36));
    }

    @AfterEach
    void closeClients() {
        clients.forEach(StoreClient::close);
    }

    /** Waits until the watch delivers; opening it is asynchronous. */
    Subscription watchReady(StoreClient watcher, BlockingQueue<Hint> hints) throws Exception {
        Subscription watch = watcher.store().watch(RecordKey.elections(), hints::add);
        RecordKey probe = key("probe");
        while (hints.poll(100, TimeUnit.MILLISECONDS) == null) {
            Observation.Held led = watcher.lead(probe);
            watcher.release(led);
        }
        return watch;
    }

    /** What an operator runs after changing many rows by hand. */
    String tellAnything() {
        return "SELECT 1";
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = operator()) {
            Jdbc.run(connection, statements);
        }
    }

    long number(String query) throws SQLException {
        try (Connection connection = operator()) {
            return Jdbc.first(connection, query, row -> row.getLong(1)).orElseThrow();
        }
    }

    List<String> sessions() throws SQLException {
        try (Connection connection = operator()) {
            return Jdbc.query(connection, "SELECT id FROM mandate_session", row -> row.getString(1));
        }
    }
}
