package dev.mandate.examples.legacy;

import dev.mandate.FencingToken;
import dev.mandate.jdbc.SqlFence;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** An outbox that refuses every token but the newest: the token is checked in the transaction that writes. */
public final class FencedOutbox extends Outbox {
    private final SqlFence fence;

    /** An outbox in {@code database}, with its fence beside it. */
    public FencedOutbox(DataSource database) {
        super(database);
        this.fence = SqlFence.of(database, "outbox");
    }

    @Override
    public void create() throws SQLException {
        super.create();
        fence.createTable();
    }

    @Override
    public void begin(FencingToken token) throws SQLException {
        fence.advance(token);
    }

    @Override
    public void put(FencingToken token, List<Event> events) throws SQLException {
        fence.run(token, connection -> insert(connection, token, events));
    }
}
