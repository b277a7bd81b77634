package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.FencingToken;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link SqlFence} promises, on every database there is. */
abstract class FenceScenarios {
    private static final String ELECTION = "invoices";

    /** The user's database. */
    abstract DataSource database() throws Exception;

    /** A column that numbers rows in the order of their making. */
    abstract String numbered();

    @BeforeEach
    void emptyTables() throws Exception {
        run(
                "DROP TABLE IF EXISTS mandate_fence",
                "DROP TABLE IF EXISTS booked",
                "CREATE TABLE booked (id " + numbered() + ", token BIGINT)");
        fence("r").createTable();
    }

    SqlFence fence(String resource) throws Exception {
        return SqlFence.of(database(), resource);
    }

    static FencingToken token(long value) {
        return new FencingToken(ELECTION, value);
    }

    static int book(Connection connection, long token) throws SQLException {
        return Jdbc.update(connection, "INSERT INTO booked (token) VALUES (?)", token);
    }

    void run(String... statements) throws Exception {
        try (Connection connection = database().getConnection()) {
            Jdbc.run(connection, statements);
        }
    }

    List<Long> booked() throws Exception {
        try (Connection connection = database().getConnection()) {
            return Jdbc.query(connection, "SELECT token FROM booked ORDER BY id", row -> row.getLong(1));
        }
    }

    @Test
    void anOlderTokenIsRefusedByNameOnceANewerOneWasSeen() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));
        fence.run(token(5), connection -> book(connection, 5));

        fence.advance(token(7));

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.call(token(5), connection -> book(connection, 5)))
                .withMessageContaining("token 5 of election invoices is stale for resource 'r', which has seen 7")
                .satisfies(e -> {
                    assertThat(e.refused()).isEqualTo(token(5));
                    assertThat(e.newest()).isEqualTo(token(7));
                    assertThat(e.resource()).isEqualTo("r");
                });
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.advance(token(6)));
        fence.advance(token(7));
        int rows = fence.call(token(7), connection -> book(connection, 7));
        assertThat(rows).isEqualTo(1);
        assertThat(booked()).containsExactly(5L, 7L);
        assertThat(fence.newest()).contains(token(7));
    }

    @Test
    void aStatementUnderANewerTokenRaisesTheFenceToo() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));

        fence.run(token(6), connection -> book(connection, 6));

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.call(token(5), c -> book(c, 5)));
    }

    @Test
    void resourcesAreGuardedApart() throws Exception {
        fence("a").advance(token(9));
        SqlFence other = fence("b");

        assertThat(other.newest()).isEmpty();
        other.advance(token(3));
        other.run(token(3), connection -> book(connection, 3));

        assertThat(booked()).containsExactly(3L);
    }

    @Test
    void nothingRunsBeforeTheFenceWasAdvanced() throws Exception {
        SqlFence fence = fence("never");

        assertThatIllegalStateException()
                .isThrownBy(() -> fence.call(token(5), connection -> book(connection, 5)))
                .withMessageContaining("was never advanced; call advance(token)");
        assertThat(booked()).isEmpty();
    }

    @Test
    void aTokenOfAnotherElectionIsRefused() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.call(new FencingToken("other", 99), connection -> book(connection, 99)))
                .withMessageContaining("belongs to election invoices, but the token is of election other");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.advance(token(0)))
                .withMessageContaining("positive");
        assertThat(booked()).isEmpty();
    }

    @Test
    void whatFailsIsRolledBackAndThrownAsItWas() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));

        assertThatIllegalStateException()
                .isThrownBy(() -> fence.call(token(5), connection -> {
                    book(connection, 5);
                    throw new IllegalStateException("mine");
                }))
                .withMessage("mine");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> fence.call(token(6), connection -> {
                    book(connection, 6);
                    return Jdbc.update(connection, "INSERT INTO no_such_table VALUES (1)");
                }));

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> fence.call(token(5), connection -> {
                    book(connection, 5);
                    throw FenceScenarios.<RuntimeException>undeclared(new IOException("of another language"));
                }));

        assertThat(booked()).isEmpty();
        assertThat(fence.newest()).contains(token(5));
        fence.run(token(5), connection -> book(connection, 5));
        assertThat(booked()).containsExactly(5L);
    }

    /** Kotlin, and some annotation processors, throw checked exceptions that nobody declared. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException undeclared(Exception thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void theTransactionIsNotTheWorksToEnd() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));

        List<FencedWork<Boolean>> attempts = List.of(
                connection -> {
                    connection.commit();
                    return true;
                },
                connection -> {
                    connection.rollback();
                    return true;
                },
                connection -> {
                    connection.setAutoCommit(true);
                    return true;
                },
                connection -> {
                    connection.close();
                    return true;
                });
        for (FencedWork<Boolean> attempt : attempts) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> fence.call(token(5), connection -> {
                        book(connection, 5);
                        return attempt.run(connection);
                    }))
                    .withMessageContaining("belongs to the fence");
        }
        fence.call(token(5), connection -> {
            var before = connection.setSavepoint();
            book(connection, 1);
            connection.rollback(before);
            return book(connection, 5);
        });

        assertThat(booked()).containsExactly(5L);
    }

    @Test
    void aFrameworksTransactionIsCheckedInside() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));
        try (Connection connection = database().getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.check(connection, token(5)))
                    .withMessageContaining("autocommit");
            connection.setAutoCommit(false);
            fence.check(connection, token(5));
            book(connection, 5);
            connection.commit();
        }
        fence.advance(token(6));
        try (Connection connection = database().getConnection()) {
            connection.setAutoCommit(false);

            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> fence.check(connection, token(5)));

            connection.rollback();
        }
        assertThat(booked()).containsExactly(5L);
    }

    /** Eight threads with tokens that rise among them: what is booked never goes back. */
    @Test
    void racingTokensAreBookedInOrder() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(1));
        AtomicLong newest = new AtomicLong(1);
        AtomicInteger stale = new AtomicInteger();

        race(() -> {
            long mine = ThreadLocalRandom.current().nextInt(8) == 0 ? newest.incrementAndGet() : newest.get();
            Thread.yield();
            try {
                if (ThreadLocalRandom.current().nextInt(4) == 0) {
                    fence.advance(token(mine));
                }
                fence.run(token(mine), connection -> book(connection, mine));
            } catch (StaleTokenException e) {
                assertThat(e.newest().value()).isGreaterThan(mine);
                stale.incrementAndGet();
            }
            return null;
        });

        List<Long> booked = booked();
        System.out.println(
                getClass().getSimpleName() + ": " + booked.size() + " booked, " + stale + " refused as stale");
        assertThat(booked).isSorted().hasSizeGreaterThan(50);
        assertThat(stale.get()).isPositive();
    }

    private static void race(Callable<Void> step) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                running.add(threads.submit(() -> {
                    for (int j = 0; j < 60; j++) {
                        step.call();
                    }
                    return null;
                }));
            }
            for (Future<?> thread : running) {
                thread.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * An old transaction is under way: the new token waits until it has ended, so nothing of the old one lands after
     * it.
     */
    @Test
    void advancingWaitsForAnOlderTransactionThatIsUnderWay() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(5));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> old = threads.submit(() -> fence.call(token(5), connection -> {
                inside.countDown();
                await(goOn);
                return book(connection, 5);
            }));
            inside.await();
            Future<?> next = threads.submit(() -> {
                fence.advance(token(6));
                return fence.call(token(6), connection -> book(connection, 6));
            });
            assertThat(fence.newest()).contains(token(5));
            goOn.countDown();
            old.get();
            next.get();
        } finally {
            threads.shutdownNow();
        }

        assertThat(booked()).containsExactly(5L, 6L);
    }

    static void await(CountDownLatch latch) throws SQLException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException(e);
        }
    }

    @Test
    void anOperatorCanResetTheFence() throws Exception {
        SqlFence fence = fence("r");
        fence.advance(token(500));

        fence.reset(token(3));
        fence.run(token(3), connection -> book(connection, 3));
        run("UPDATE mandate_fence SET token = 1, election = 'other' WHERE resource = 'r'");
        fence.run(new FencingToken("other", 2), connection -> book(connection, 2));
        fence("new").reset(token(4));

        assertThat(booked()).containsExactly(3L, 2L);
        assertThat(fence("new").newest()).contains(token(4));
    }

    @Test
    void theTableIsMadeOnceWhoeverAsks() throws Exception {
        run("DROP TABLE mandate_fence");
        AtomicInteger made = new AtomicInteger();

        race(() -> {
            if (made.incrementAndGet() <= 16) {
                fence("r").createTable();
            }
            return null;
        });

        fence("r").advance(token(1));
    }

    @Test
    void impossibleSettingsNameBothNumbers() throws Exception {
        SqlFence fence = fence("r");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(5)))
                .withMessageContaining("idle time-out PT5S and lock time-out PT5S");
        assertThatIllegalArgumentException().isThrownBy(() -> fence("")).withMessageContaining("resource is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence("x".repeat(256)))
                .withMessageContaining("256 characters; the limit is 255");
    }
}
