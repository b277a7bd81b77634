package dev.mandate.jdbc;

import dev.mandate.spi.CallContext;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A worker on a database that does what a test wants, and calls to give it. */
abstract class WorkerRig {
    @TempDir
    Path directory;

    final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    TrialDatabase database;
    Worker worker;

    @BeforeEach
    void start() {
        database = new TrialDatabase(directory.resolve("mandate.db"));
        worker = new Worker(database, nanos::get);
        worker.start();
    }

    @AfterEach
    void close() {
        worker.close();
    }

    <T> CompletableFuture<T> submit(Worker.Lane lane, CallContext call, Worker.Work<T> work) {
        return worker.submit(lane, "trying", call, work);
    }

    <T> CompletableFuture<T> submit(Worker.Work<T> work) {
        return submit(Worker.Lane.ORDINARY, StoreClient.call(), work);
    }

    Integer one() {
        return StoreClient.answer(submit(WorkerRig::one));
    }

    static Integer one(Worker.Turn turn) throws SQLException {
        return Jdbc.first(turn.next(), "SELECT 1", row -> row.getInt(1)).orElseThrow();
    }

    /** Keeps the worker inside a call until it is let go. */
    CompletableFuture<Boolean> occupy(CountDownLatch let) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Boolean> call = submit(turn -> {
            inside.countDown();
            await(let);
            return true;
        });
        inside.await();
        return call;
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
