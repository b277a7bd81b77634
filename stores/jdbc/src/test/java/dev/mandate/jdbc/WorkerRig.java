package dev.mandate.jdbc;

import dev.mandate.spi.CallContext;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
    /** Of the worker, and of those who connect for it. */
    private final ThreadGroup threads = new ThreadGroup("worker");

    TrialDatabase database;
    Worker worker;

    @BeforeEach
    void start() throws InterruptedException {
        database = new TrialDatabase(directory.resolve("mandate.db"));
        Thread starter = new Thread(threads, () -> {
            worker = new Worker(database, nanos::get);
            worker.start();
        });
        starter.start();
        starter.join();
    }

    /** A connection that came late would make its file again while the folder is deleted. */
    @AfterEach
    void close() {
        worker.close();
        Await.until("its threads to end", Duration.ofSeconds(30), () -> threads.activeCount() == 0);
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
