package dev.mandate.examples.legacy;

import dev.mandate.FencingToken;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** An outbox that accepts every write, however late, to show the damage. */
public final class UnfencedOutbox extends Outbox {

    /** An outbox in {@code database}. */
    public UnfencedOutbox(DataSource database) {
        super(database);
    }

    @Override
    public void begin(FencingToken token) {
        // Nothing keeps an older leader out.
    }

    @Override
    public void put(FencingToken token, List<Event> events) throws SQLException {
        try (Connection connection = database().getConnection()) {
            connection.setAutoCommit(false);
            insert(connection, token, events);
            connection.commit();
        }
    }
}
