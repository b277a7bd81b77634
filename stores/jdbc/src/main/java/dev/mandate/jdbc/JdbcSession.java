package dev.mandate.jdbc;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** One row in {@code mandate_session}. {@link JdbcElectionStore} explains its statements. */
final class JdbcSession implements StoreSession {
    private static final int ADOPTIONS_MAX = 3;

    private final JdbcElectionStore store;
    private final String id;
    private final Duration granted;

    /** The version as this client knows it; used only by the worker. */
    private long version = 1;

    JdbcSession(JdbcElectionStore store, String id, Duration granted) {
        this.store = store;
        this.id = id;
        this.granted = granted;
    }

    boolean isOf(JdbcElectionStore other) {
        return store == other;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration granted() {
        return granted;
    }

    @Override
    public CompletionStage<SessionRenewal> renew(CallContext call) {
        return store.worker().submit(Worker.Lane.URGENT, "renewing session " + id, call, turn -> {
            SessionRenewal renewal = renew(turn);
            if (renewal == SessionRenewal.gone()) {
                store.forget(id);
            } else {
                store.renewed(id);
            }
            return renewal;
        });
    }

    private SessionRenewal renew(Worker.Turn turn) throws SQLException {
        Sql sql = store.sql();
        for (int i = 0; i < ADOPTIONS_MAX; i++) {
            if (Jdbc.update(turn.nextWrite(), sql.renew(), id, version) == 1) {
                version++;
                return SessionRenewal.renewed(granted);
            }
            // Refused: the session has ended, or an earlier renewal of ours landed although its answer was lost. That
            // renewal proves nothing about now; it only determines the version for the next one, sent within this call.
            List<Long> alive =
                    Jdbc.query(turn.next(), sql.session(), row -> row.getInt(2) == 0 ? row.getLong(1) : -1L, id);
            if (alive.isEmpty() || alive.get(0) < 0) {
                return SessionRenewal.gone();
            }
            version = alive.get(0);
        }
        throw new StoreUnavailableException(store + ": renewing session " + id
                + ": something else keeps changing its row; a session belongs to one client");
    }

    @Override
    public CompletionStage<Void> end(CallContext call) {
        return store.worker()
                .submit(Worker.Lane.URGENT, "ending session " + id, call, turn -> {
                    // If no row changed, it had ended before or never existed.
                    int ended = Jdbc.update(turn.nextWrite(), store.sql().end(), id);
                    store.ended(id);
                    return ended;
                })
                .thenAccept(ended -> {});
    }
}
