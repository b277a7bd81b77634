package dev.mandate.jdbc;

/**
 * The statements of a dialect. Each runs alone, in autocommit. The comments list the parameters in order.
 *
 * @param create the tables and indexes, statement by statement
 * @param read path, path of the mark
 * @param list greater than path, less than path, most rows
 * @param insert path, session, record, path of the mark, its version, session: for a key without a row
 * @param take session, record, path, version, session: for a vacant row, or that of an ended session
 * @param update record, path, version, session
 * @param release path, version, session
 * @param raise version, path, path of the mark, path, version: raises the mark before a vacant row is erased
 * @param erase path, version: deletes a vacant row, after the mark was raised
 * @param open id, lease
 * @param renew id, version
 * @param depose id, version, own id, own id: ends a session that was not renewed
 * @param end id
 * @param session id
 */
record Sql(
        String[] create,
        String read,
        String list,
        String insert,
        String take,
        String update,
        String release,
        String raise,
        String erase,
        String open,
        String renew,
        String depose,
        String end,
        String session) {

    /** Rows of keys, with the session of each if it exists. */
    static final String SELECT =
            "SELECT e.path, e.version, e.term, e.session, e.record, s.version, s.ended, s.lease_millis"
                    + " FROM mandate_election e LEFT JOIN mandate_session s ON s.id = e.session";

    /** Statements that fail unless both tables exist with all columns. */
    static final String[] PROBE = {
        "SELECT path, version, term, session, record FROM mandate_election WHERE 1 = 0",
        "SELECT id, lease_millis, version, ended FROM mandate_session WHERE 1 = 0"
    };

    private static final String OWN_ALIVE = "EXISTS (SELECT 1 FROM mandate_session n WHERE n.id = ? AND n.ended = 0)";
    private static final String KEEPER_ALIVE =
            "EXISTS (SELECT 1 FROM mandate_session o WHERE o.id = mandate_election.session AND o.ended = 0)";

    /** path: creates a missing mark. */
    static final String MARK = "INSERT INTO mandate_election (path, version, term, session, record)"
            + " VALUES (?, 0, 0, NULL, NULL) ON CONFLICT (path) DO NOTHING";

    private static final String ERASE =
            "DELETE FROM mandate_election WHERE path = ? AND version = ? AND NOT " + KEEPER_ALIVE;

    private static final String KEEPER_VERSION =
            "(SELECT v.version FROM mandate_session v WHERE v.id = mandate_election.session)";

    /**
     * The statements of a dialect. The first version of a row is the time in microseconds: even if someone deletes rows
     * by hand, against all advice, no version seen before returns.
     */
    static Sql of(Dialect dialect) {
        return dialect == Dialect.SQLITE ? sqlite() : postgresql();
    }

    private static Sql sqlite() {
        // SQLite has one writer at a time, and a mark keeps the newest version if its row is erased. So versions count
        // all writes in commit order, which shows a watch what is new. An erase gives the mark a new version, because
        // the deleted row can show nothing.
        String next = "(SELECT max(version) + 1 FROM mandate_election)";
        String clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
        return new Sql(
                new String[] {
                    "CREATE TABLE IF NOT EXISTS mandate_session ("
                            + "id TEXT NOT NULL PRIMARY KEY, lease_millis INTEGER NOT NULL,"
                            + " version INTEGER NOT NULL, ended INTEGER NOT NULL)",
                    "CREATE TABLE IF NOT EXISTS mandate_election ("
                            + "path TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL,"
                            + " term INTEGER NOT NULL, session TEXT, record TEXT)",
                    "CREATE INDEX IF NOT EXISTS mandate_election_session ON mandate_election (session)",
                    "CREATE INDEX IF NOT EXISTS mandate_election_version ON mandate_election (version)"
                },
                READ,
                SELECT + " WHERE e.path > ? AND e.path < ? ORDER BY e.path LIMIT ?",
                insert("max(" + next + ", 1000 * " + clock + ")", "max(m.term + 1, " + clock + ")", "")
                        + " RETURNING version, term, " + KEEPER_VERSION,
                take(next, "max(term + 1, " + clock + ")") + " RETURNING version, term, " + KEEPER_VERSION,
                update(next) + " RETURNING version, term, " + KEEPER_VERSION,
                release(next) + " RETURNING version",
                raise("max(" + next + ", ?)", "max"),
                ERASE,
                OPEN,
                RENEW,
                DEPOSE,
                END,
                SESSION);
    }

    private static Sql postgresql() {
        String next = "version + 1";
        String clock = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)";
        String written = " RETURNING path, version, term, " + KEEPER_VERSION + " AS keeper";
        return new Sql(
                new String[] {
                    "CREATE TABLE IF NOT EXISTS mandate_session ("
                            + "id text COLLATE \"C\" PRIMARY KEY, lease_millis bigint NOT NULL,"
                            + " version bigint NOT NULL, ended integer NOT NULL)",
                    "CREATE TABLE IF NOT EXISTS mandate_election ("
                            + "path text COLLATE \"C\" PRIMARY KEY, version bigint NOT NULL,"
                            + " term bigint NOT NULL, session text COLLATE \"C\", record text)",
                    "CREATE INDEX IF NOT EXISTS mandate_election_session ON mandate_election (session)"
                },
                READ,
                SELECT + " WHERE e.path COLLATE \"C\" > ? AND e.path COLLATE \"C\" < ?"
                        + " ORDER BY e.path COLLATE \"C\" LIMIT ?",
                // The lock keeps the mark until the row is written: an overlapping erase waits, or makes this fail.
                told(
                        insert(
                                        "greatest(m.version + 1, 1000 * " + clock + ")",
                                        "greatest(m.term + 1, " + clock + ")",
                                        " FOR SHARE OF m")
                                + written,
                        "version, term, keeper"),
                told(take(next, "greatest(term + 1, " + clock + ")") + written, "version, term, keeper"),
                told(update(next) + written, "version, term, keeper"),
                told(release(next) + " RETURNING path, version", "version"),
                raise("greatest(version, ?)", "greatest"),
                told(ERASE + " RETURNING path", "path"),
                OPEN,
                RENEW,
                toldSession(DEPOSE),
                toldSession(END),
                SESSION);
    }

    /** Adds a notification of the key in the same transaction. A path too long for it is sent as empty, meaning any. */
    private static String told(String write, String columns) {
        return "WITH w AS (" + write + ") SELECT " + columns + ", pg_notify(" + CHANNEL
                + ", CASE WHEN octet_length(path) < 7900 THEN path ELSE '' END) FROM w";
    }

    private static String toldSession(String write) {
        return "WITH w AS (" + write + " RETURNING id) SELECT id, pg_notify(" + CHANNEL + ", '#' || id) FROM w";
    }

    /** One channel per table, to separate the schemas of one database. */
    static final String CHANNEL = "'mandate_' || CAST(CAST('mandate_election' AS regclass) AS oid)";

    private static final String READ = SELECT + " WHERE e.path IN (?, ?)";

    private static String insert(String version, String term, String lock) {
        return "INSERT INTO mandate_election (path, version, term, session, record) SELECT ?, " + version + ", " + term
                + ", ?, ? FROM mandate_election m WHERE m.path = ? AND m.version = ? AND " + OWN_ALIVE + lock
                + " ON CONFLICT (path) DO NOTHING";
    }

    private static String raise(String version, String larger) {
        return "UPDATE mandate_election SET version = " + version + ", term = " + larger
                + "(term, (SELECT x.term FROM mandate_election x WHERE x.path = ?)) WHERE path = ?"
                + " AND EXISTS (SELECT 1 FROM mandate_election x LEFT JOIN mandate_session o ON o.id = x.session"
                + " WHERE x.path = ? AND x.version = ? AND coalesce(o.ended, 1) <> 0) RETURNING version";
    }

    private static String take(String version, String term) {
        return "UPDATE mandate_election SET version = " + version + ", term = " + term
                + ", session = ?, record = ? WHERE path = ? AND version = ? AND NOT " + KEEPER_ALIVE + " AND "
                + OWN_ALIVE;
    }

    private static String update(String version) {
        return "UPDATE mandate_election SET version = " + version
                + ", record = ? WHERE path = ? AND version = ? AND session = ? AND " + KEEPER_ALIVE;
    }

    private static String release(String version) {
        return "UPDATE mandate_election SET version = " + version
                + ", session = NULL, record = NULL WHERE path = ? AND version = ? AND session = ? AND " + KEEPER_ALIVE;
    }

    private static final String OPEN =
            "INSERT INTO mandate_session (id, lease_millis, version, ended) VALUES (?, ?, 1, 0)";
    private static final String RENEW =
            "UPDATE mandate_session SET version = version + 1 WHERE id = ? AND version = ? AND ended = 0";
    private static final String DEPOSE = "UPDATE mandate_session SET ended = 1, version = version + 1"
            + " WHERE id = ? AND version = ? AND ended = 0 AND id <> ? AND " + OWN_ALIVE;
    private static final String END =
            "UPDATE mandate_session SET ended = 1, version = version + 1 WHERE id = ? AND ended = 0";
    private static final String SESSION = "SELECT version, ended FROM mandate_session WHERE id = ?";
}
