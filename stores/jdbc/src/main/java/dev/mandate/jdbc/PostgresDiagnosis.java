package dev.mandate.jdbc;

import dev.mandate.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.postgresql.PGConnection;

/** The doctor's findings about a PostgreSQL server. Read-only: some short statements that can't fail each other. */
final class PostgresDiagnosis {
    private static final int CONNECTIONS_MIN = 10;
    private static final int POOLER_LOOKS = 8;

    private static final String SERVER = "SELECT current_setting('server_version'), current_setting('fsync'),"
            + " current_setting('full_page_writes'), current_setting('synchronous_commit'),"
            + " current_setting('synchronous_standby_names'), (SELECT count(*) FROM pg_stat_replication),"
            + " current_setting('max_connections'), (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL),"
            + " coalesce(current_setting('idle_session_timeout', true), '0'),"
            + " coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),"
            + " coalesce(inet_client_addr() <> inet_server_addr(), false)";
    private static final String CLOCK = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)";

    private static final String SESSION = "SELECT pg_backend_pid()";

    private final Worker.Turn turn;
    private final Database database;
    private final List<Finding> findings = new ArrayList<>();

    private PostgresDiagnosis(Worker.Turn turn, Database database) {
        this.turn = turn;
        this.database = database;
    }

    static List<Finding> of(Worker.Turn turn, Database database) throws SQLException {
        PostgresDiagnosis all = new PostgresDiagnosis(turn, database);
        all.asked("version", all::server);
        all.asked("clock", all::clock);
        all.asked("pooler", all::pooler);
        return all.findings;
    }

    private interface Question {
        void ask(Connection connection) throws SQLException;
    }

    /** A question that fails is a finding, too: a right is missing, or the server is not quite PostgreSQL. */
    private void asked(String subject, Question question) throws SQLException {
        Connection connection = turn.next().connection();
        try {
            question.ask(connection);
        } catch (SQLException e) {
            turn.failed(e);
            findings.add(Finding.warning(
                    subject,
                    "the server did not say: " + String.valueOf(e.getMessage()).strip()));
        }
    }

    private void server(Connection connection) throws SQLException {
        Server server = Jdbc.first(connection, SERVER, Server::of).orElseThrow();
        findings.add(Finding.ok(
                "version",
                "PostgreSQL " + server.version + ", a primary, "
                        + (server.isEncrypted ? "encrypted" : "not encrypted")));
        if (server.isRemote && !server.isEncrypted) {
            findings.add(Finding.warning(
                    "encryption", "the connection to another machine is not encrypted; see sslmode and caFile"));
        }
        findings.add(durability(server));
        if (server.standbys > 0) {
            findings.add(standbys(server));
        } else if (!server.standbyNames.isBlank() && !server.commit.equals("local")) {
            findings.add(Finding.error(
                    "cluster",
                    "no standby is connected, but commits wait for one: nobody is elected; start it, or take it out of"
                            + " synchronous_standby_names (" + server.standbyNames + ")"));
        }
        int left = server.connectionsMax - server.connections;
        String connections =
                server.connections + " of " + server.connectionsMax + " connections are in use; every client takes two";
        findings.add(
                left < CONNECTIONS_MIN
                        ? Finding.warning("connections", connections + ": raise max_connections, or close others")
                        : Finding.ok("connections", connections));
        if (!server.idleTimeout.matches("0(ms)?")) {
            findings.add(Finding.warning(
                    "connections",
                    "idle_session_timeout is " + server.idleTimeout + ": the server cuts watches that are quiet for so"
                            + " long, and changes are told late; set it to 0 for this user"));
        }
    }

    private static Finding durability(Server server) {
        String settings = "fsync " + server.fsync + ", full_page_writes " + server.fullPages + ", synchronous_commit "
                + server.commit;
        boolean isSafe = server.fsync.equals("on") && server.fullPages.equals("on");
        if (!isSafe) {
            return Finding.error(
                    "durability",
                    settings + ": after a power failure the server may have forgotten who leads, though it was"
                            + " confirmed, and two may lead; turn both on");
        }
        return server.commit.equals("local")
                ? Finding.warning(
                        "durability",
                        settings
                                + ": no standby is waited for, so a failover may lose who was elected last, and two may"
                                + " lead for up to a lease; set synchronous_commit to on for this user")
                : Finding.ok("durability", settings);
    }

    private static Finding standbys(Server server) {
        String standbys = server.standbys + (server.standbys == 1 ? " standby" : " standbys");
        return server.standbyNames.isBlank()
                ? Finding.warning(
                        "cluster",
                        standbys + ", none of them synchronous: a failover may lose who was elected last, and two may"
                                + " lead for up to a lease; set synchronous_standby_names")
                : Finding.ok("cluster", standbys + ", synchronous: " + server.standbyNames);
    }

    private void clock(Connection connection) throws SQLException {
        long sentNanos = System.nanoTime();
        long before = System.currentTimeMillis();
        long theirs = Jdbc.first(connection, CLOCK, row -> row.getLong(1)).orElseThrow();
        long tookMillis = (System.nanoTime() - sentNanos) / 1_000_000;
        long ahead = theirs - before - tookMillis / 2;
        findings.add(Finding.ok(
                "clock",
                String.format(
                        Locale.ROOT,
                        "the server's is %d ms %s ours, give or take %d ms; observers judge by their own, and the"
                                + " server's only makes tokens large",
                        Math.abs(ahead),
                        ahead < 0 ? "behind" : "ahead of",
                        tookMillis / 2 + 1)));
    }

    /**
     * A pooler makes up process ids. Keeping one session busy shows whether it uses another session
     * for each transaction.
     */
    private void pooler(Connection connection) throws SQLException {
        long told = connection.unwrap(PGConnection.class).getBackendPID();
        Set<Long> sessions = new LinkedHashSet<>(List.of(session(connection)));
        if (sessions.contains(told)) {
            return;
        }
        Link other = database.connect(Math.max(1, turn.remainingMillis()));
        try {
            other.connection().setAutoCommit(false);
            for (int i = 0; i < POOLER_LOOKS; i++) {
                session(other.connection());
                sessions.add(session(connection));
                other.connection().rollback();
            }
            other.connection().setAutoCommit(true);
        } finally {
            other.close();
        }
        findings.add(
                sessions.size() == 1
                        ? Finding.ok("pooler", "there is one on the way, which keeps a session for each connection")
                        : Finding.warning(
                                "pooler",
                                "one on the way hands out another session for each transaction. Changes are not told, only"
                                        + " found by looking; use session pooling, or at least prepareThreshold=0"));
    }

    private static long session(Connection connection) throws SQLException {
        return Jdbc.first(connection, SESSION, row -> row.getLong(1)).orElseThrow();
    }

    private record Server(
            String version,
            String fsync,
            String fullPages,
            String commit,
            String standbyNames,
            int standbys,
            int connectionsMax,
            int connections,
            String idleTimeout,
            boolean isEncrypted,
            boolean isRemote) {

        static Server of(ResultSet row) throws SQLException {
            return new Server(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getInt(6),
                    row.getInt(7),
                    row.getInt(8),
                    row.getString(9),
                    row.getBoolean(10),
                    row.getBoolean(11));
        }
    }
}
