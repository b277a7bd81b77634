package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.FencingToken;
import dev.mandate.StoreSetupException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** What a fence does with connections that are not as it would like them, and with drivers that fail it. */
class FenceRulesTest {
    /** Called for each call on a connection; null to go on with it. */
    private interface Trouble {
        Object on(String method, Object[] arguments, Connection real) throws SQLException;
    }

    private static final FencingToken FIVE = new FencingToken("invoices", 5);

    @TempDir
    Path directory;

    private final List<String> calls = new ArrayList<>();
    private Trouble trouble = (method, arguments, real) -> null;
    private boolean isAutoCommit = true;
    private SqlFence fence;

    @BeforeEach
    void open() {
        fence = SqlFence.of(database(), "r").createTable();
    }

    private DataSource database() {
        SQLiteDataSource file = new SQLiteDataSource();
        file.setUrl("jdbc:sqlite:" + directory.resolve("user.db"));
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (source, asked, none) -> {
                    Connection real = file.getConnection();
                    real.setAutoCommit(isAutoCommit);
                    return troubled(real);
                });
    }

    private Connection troubled(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    Object instead = trouble.on(method.getName(), arguments, real);
                    if (instead != null) {
                        return instead;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static FencingToken token(long value) {
        return new FencingToken("invoices", value);
    }

    // ---- settings ----

    @Test
    void timeoutsAreOneMillisecondToOneHourAndTheIdleOneIsTheShorter() {
        fence.withTimeouts(Duration.ofMillis(1), Duration.ofHours(1));
        fence.withTimeouts(Duration.ofMillis(1), Duration.ofMillis(2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withTimeouts(Duration.ofNanos(999_999), Duration.ofSeconds(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withTimeouts(
                        Duration.ofSeconds(1), Duration.ofHours(1).plusNanos(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2)));
    }

    @Test
    void aResourceMayBeNamedWithTwoHundredAndFiftyFiveCharacters() throws Exception {
        SqlFence longest = SqlFence.of(database(), "x".repeat(255));

        longest.advance(FIVE);

        assertThat(longest.newest()).contains(FIVE);
    }

    // ---- the table ----

    @Test
    void aTableThatIsThereIsNotMadeAgain() {
        trouble = (method, arguments, real) -> {
            if (method.equals("createStatement")) {
                throw new SQLException("no right to create");
            }
            return null;
        };

        assertThat(fence.createTable()).isSameAs(fence);
    }

    @Test
    void aTableThatCannotBeMadeIsPrinted() throws Exception {
        SQLiteDataSource empty = new SQLiteDataSource();
        empty.setUrl("jdbc:sqlite:" + directory.resolve("empty.db"));
        try (Connection connection = empty.getConnection()) {
            Jdbc.run(connection, "CREATE TABLE other (x)");
        }
        empty.setReadOnly(true);

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> SqlFence.of(empty, "r").createTable())
                .withMessageContaining("table mandate_fence can't be made (")
                .withMessageContaining(SqlFence.ddl());
        assertThat(SqlFence.ddl()).startsWith("CREATE TABLE mandate_fence (").endsWith(";");
    }

    /** Some pools hand out connections that are not in autocommit: what is written must be committed all the same. */
    @Test
    void connectionsThatAreNotInAutocommitDoAsWell() throws Exception {
        isAutoCommit = false;
        SQLiteDataSource file = new SQLiteDataSource();
        file.setUrl("jdbc:sqlite:" + directory.resolve("user.db"));
        try (Connection connection = file.getConnection()) {
            Jdbc.run(connection, "DROP TABLE mandate_fence");
        }

        fence.createTable();
        fence.advance(token(5));
        assertThat(fence.newest()).contains(token(5));
        fence.reset(token(3));
        assertThat(fence.newest()).contains(token(3));
        SqlFence.of(database(), "new").reset(token(4));
        assertThat(SqlFence.of(database(), "new").newest()).contains(token(4));
        fence.call(token(6), connection -> {
            assertThat(connection.getAutoCommit()).isFalse();
            return 1;
        });

        assertThat(fence.newest()).contains(token(6));
    }

    // ---- a transaction ----

    @Test
    void workRunsInsideOneTransactionAndTheConnectionGoesBackToAutocommit() throws Exception {
        fence.advance(FIVE);
        calls.clear();

        String result = fence.call(FIVE, connection -> {
            assertThat(connection.getAutoCommit()).isFalse();
            calls.add("work");
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(calls.stream()
                        .filter(c -> List.of("setAutoCommit", "work", "commit", "close")
                                .contains(c)))
                .containsExactly("setAutoCommit", "work", "commit", "setAutoCommit", "close");
    }

    /**
     * It may hold a transaction that somebody would commit later: it is thrown away, and the first trouble is the one
     * told.
     */
    @Test
    void aConnectionThatCannotBeRolledBackIsThrownAway() throws Exception {
        fence.advance(FIVE);
        calls.clear();
        trouble = (method, arguments, real) -> {
            if (method.equals("rollback")) {
                throw new SQLException("the rollback failed");
            }
            return null;
        };

        assertThatIllegalStateException()
                .isThrownBy(() -> fence.call(FIVE, connection -> {
                    throw new IllegalStateException("mine");
                }))
                .withMessage("mine")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .satisfies(s -> assertThat(s).hasMessage("the rollback failed")));
        assertThat(calls).contains("abort").doesNotContain("commit");
        assertThat(calls.stream().filter("setAutoCommit"::equals)).hasSize(1);
    }

    /** The outcome stands. A connection that is not as it was goes to nobody else. */
    @Test
    void aConnectionThatCannotBeSetBackIsThrownAwayAndTheWorkCounts() throws Exception {
        fence.advance(FIVE);
        calls.clear();
        trouble = (method, arguments, real) -> {
            if (method.equals("setAutoCommit") && (boolean) arguments[0]) {
                throw new SQLException("can't be set back");
            }
            return null;
        };

        int result = fence.call(token(6), connection -> 1);
        assertThat(result).isEqualTo(1);

        assertThat(calls).contains("abort");
        trouble = (method, arguments, real) -> null;
        assertThat(fence.newest()).contains(token(6));
    }

    @Test
    void aCommitThatFailsIsThrown() throws Exception {
        fence.advance(FIVE);
        trouble = (method, arguments, real) -> {
            if (method.equals("commit")) {
                throw new SQLException("the commit failed");
            }
            return null;
        };

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.call(token(6), connection -> 1))
                .withMessage("the commit failed");
        trouble = (method, arguments, real) -> null;
        assertThat(fence.newest()).contains(FIVE);
    }

    /** Without a lock on the row nothing is admitted, though the token is good. */
    @Test
    void aDriverThatCountsChangedRowsInsteadOfFoundOnesIsRefused() throws Exception {
        fence.advance(FIVE);
        trouble = (method, arguments, real) -> {
            if (method.equals("prepareStatement")
                    && String.valueOf(arguments[0]).startsWith("UPDATE")) {
                PreparedStatement statement = real.prepareStatement((String) arguments[0]);
                return counting(statement, 0);
            }
            return null;
        };

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.call(FIVE, connection -> 1))
                .withMessageContaining(
                        "resource 'r' could not be locked at token 5; the driver must report found rows");
    }

    private PreparedStatement counting(PreparedStatement real, int rows) {
        return (PreparedStatement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, (proxy, method, arguments) -> {
                    calls.add(method.getName() + (method.getName().equals("setQueryTimeout") ? arguments[0] : ""));
                    Object result = method.invoke(real, arguments);
                    return method.getName().equals("executeUpdate") && rows >= 0 ? (Object) rows : result;
                });
    }

    /** Somebody inserted the row first: that is no failure. Anything else is. */
    @Test
    void anInsertThatFailsCountsOnlyIfTheRowIsStillMissing() throws Exception {
        trouble = (method, arguments, real) -> {
            if (method.equals("prepareStatement")
                    && String.valueOf(arguments[0]).startsWith("INSERT")) {
                Jdbc.update(real, "INSERT INTO mandate_fence VALUES ('r', 'invoices', 4)");
            }
            return null;
        };
        fence.advance(FIVE);
        assertThat(fence.newest()).contains(FIVE);

        trouble = (method, arguments, real) -> {
            if (method.equals("prepareStatement")
                    && String.valueOf(arguments[0]).startsWith("INSERT")) {
                throw new SQLException("no right to insert");
            }
            return null;
        };
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> SqlFence.of(database(), "other").advance(FIVE))
                .withMessage("no right to insert");
    }

    // ---- dialects ----

    @Test
    void theDialectIsThatOfTheDriver() throws Exception {
        for (var each : List.of(
                List.of("PostgreSQL", FenceTimeouts.POSTGRESQL),
                List.of("SQLite", FenceTimeouts.SQLITE),
                List.of("H2", FenceTimeouts.OTHER))) {
            trouble = product((String) each.get(0));
            try (Connection connection = database().getConnection()) {
                assertThat(FenceTimeouts.of(connection)).isEqualTo(each.get(1));
            }
        }
    }

    private Trouble product(String name) {
        return (method, arguments, real) -> method.equals("getMetaData")
                ? Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {DatabaseMetaData.class},
                        (proxy, asked, none) -> name)
                : null;
    }

    /** No setting of the connection is known there: only the statement that locks is bounded, in whole seconds. */
    @Test
    void anUnknownDatabaseBoundsTheStatementThatLocks() throws Exception {
        fence.advance(FIVE);
        Trouble h2 = product("H2");
        trouble = (method, arguments, real) -> {
            if (method.equals("prepareStatement")
                    && String.valueOf(arguments[0]).startsWith("UPDATE")) {
                return counting(real.prepareStatement((String) arguments[0]), -1);
            }
            return h2.on(method, arguments, real);
        };

        fence.withTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(7)).call(FIVE, connection -> 1);
        fence.withTimeouts(Duration.ofMillis(1), Duration.ofMillis(20)).call(FIVE, connection -> 1);

        assertThat(calls).contains("setQueryTimeout7", "setQueryTimeout1");
    }

    @Test
    void sqliteWaitsForTheLockAsLongAsItWasTold() throws Exception {
        fence.advance(FIVE);

        long inside = fence.withTimeouts(Duration.ofMillis(5), Duration.ofMillis(777))
                .call(
                        FIVE,
                        connection -> Jdbc.first(connection, "PRAGMA busy_timeout", row -> row.getLong(1))
                                .orElseThrow());

        assertThat(inside).isEqualTo(777);
    }
}
