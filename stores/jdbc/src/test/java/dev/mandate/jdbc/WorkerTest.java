package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In what order calls are made, when a call is not made at all, and when a connection is opened, kept and given up. */
class WorkerTest {
    @TempDir
    Path directory;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private TrialDatabase database;
    private Worker worker;

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

    private <T> CompletableFuture<T> submit(Worker.Lane lane, CallContext call, Worker.Work<T> work) {
        return worker.submit(lane, "trying", call, work);
    }

    private <T> CompletableFuture<T> submit(Worker.Work<T> work) {
        return submit(Worker.Lane.ORDINARY, StoreClient.call(), work);
    }

    private Integer one() {
        return StoreClient.answer(submit(WorkerTest::one));
    }

    private static Integer one(Worker.Turn turn) throws SQLException {
        return Jdbc.first(turn.next(), "SELECT 1", row -> row.getInt(1)).orElseThrow();
    }

    /** Keeps the worker inside a call until it is let go. */
    private CompletableFuture<Boolean> occupy(CountDownLatch let) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CompletableFuture<Boolean> call = submit(turn -> {
            inside.countDown();
            await(let);
            return true;
        });
        inside.await();
        return call;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the queue ----

    @Test
    void renewalsOvertakeWhatWaitsAndTheRestKeepsItsOrder() throws Exception {
        CountDownLatch let = new CountDownLatch(1);
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        occupy(let);
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (String what : List.of("first", "second", "URGENT", "third", "URGENT too")) {
            Worker.Lane lane = what.startsWith("URGENT") ? Worker.Lane.URGENT : Worker.Lane.ORDINARY;
            all.add(submit(lane, StoreClient.call(), turn -> order.add(what)));
        }

        let.countDown();
        all.forEach(StoreClient::answer);

        assertThat(order).containsExactly("URGENT", "URGENT too", "first", "second", "third");
    }

    @Test
    void aCallWhoseTimeIsOverBeforeItsTurnIsNotMade() throws Exception {
        CountDownLatch let = new CountDownLatch(1);
        AtomicLong clock = new AtomicLong();
        AtomicBoolean made = new AtomicBoolean();
        occupy(let);
        CompletableFuture<Boolean> late = submit(Worker.Lane.URGENT, CallContext.until(100, clock::get), turn -> {
            made.set(true);
            return true;
        });

        clock.set(100);
        let.countDown();

        assertThatThrownBy(() -> StoreClient.answer(late))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: trying: its time was over before its turn came");
        assertThat(made).isFalse();
    }

    /** It is asked before each statement, and not only before the first. */
    @Test
    void aStatementWhoseTimeIsOverIsNotSent() {
        AtomicLong clock = new AtomicLong();
        AtomicInteger sent = new AtomicInteger();
        one();
        CompletableFuture<Integer> call =
                submit(Worker.Lane.ORDINARY, CallContext.until(5_000_000, clock::get), turn -> {
                    assertThat(turn.remainingMillis()).isEqualTo(5);
                    one(turn);
                    sent.incrementAndGet();
                    clock.set(5_000_000);
                    return one(turn);
                });

        assertThatThrownBy(() -> StoreClient.answer(call))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: trying: its time was over before the statement was sent");
        assertThat(sent).hasValue(1);
    }

    @Test
    void beyondTheLimitCallsAreRefusedAtOnce() throws Exception {
        CountDownLatch let = new CountDownLatch(1);
        occupy(let);
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < Worker.QUEUE_MAX; i++) {
            Worker.Lane lane = i % 2 == 0 ? Worker.Lane.URGENT : Worker.Lane.ORDINARY;
            all.add(submit(lane, StoreClient.call(), turn -> true));
        }
        CompletableFuture<Boolean> tooMany = submit(Worker.Lane.URGENT, StoreClient.call(), turn -> true);

        assertThat(tooMany).isCompletedExceptionally();
        assertThatThrownBy(() -> StoreClient.answer(tooMany))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: trying: 20000 calls are waiting already");
        assertThat(all).noneMatch(CompletableFuture::isDone);
        let.countDown();
        all.forEach(StoreClient::answer);
    }

    @Test
    void whatACallThrowsIsItsOwnAnswerAndTheNextIsMade() {
        CompletableFuture<Boolean> call = submit(turn -> {
            throw new StackOverflowError("deep");
        });

        assertThatThrownBy(call::join).hasCauseInstanceOf(StackOverflowError.class);
        assertThat(one()).isEqualTo(1);
        assertThat(database.opened).hasSize(1);
    }

    // ---- connections ----

    @Test
    void oneConnectionServesAllCalls() {
        for (int i = 0; i < 5; i++) {
            assertThat(one()).isEqualTo(1);
        }

        assertThat(database.asked).hasSize(1);
    }

    @Test
    void aConnectionThatBrokeIsReplacedAndOneThatDidNotStays() throws Exception {
        one();
        for (Fault fault : List.of(Fault.passing("busy"), Fault.permanent("full"), Fault.denied("no right"))) {
            database.fault = fault;
            fails();
            database.fault = null;
            one();
            assertThat(database.opened).hasSize(1);
        }

        database.fault = Fault.broken("reset");
        fails();
        database.fault = null;
        one();

        assertThat(database.opened).hasSize(2);
        Connection former = database.opened.get(0);
        Await.until("the broken one to be closed", Duration.ofSeconds(30), () -> isClosed(former));
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void fails() {
        assertThatThrownBy(() -> StoreClient.answer(submit(turn -> {
                    throw new SQLException("said by the driver");
                })))
                .hasMessage("trial: trying: " + database.fault.sentence())
                .hasRootCauseMessage("said by the driver");
    }

    /** The call has its answer, and its connection is of no more use. */
    @Test
    void anErrorBesideTheAnswerDropsABrokenConnectionOnly() {
        for (Fault fault : List.of(Fault.passing("busy"), Fault.broken("reset"))) {
            database.fault = fault;
            int answer = StoreClient.answer(submit(turn -> {
                turn.failed(new SQLException("said by the driver"));
                return 2;
            }));
            assertThat(answer).isEqualTo(2);
            database.fault = null;
            one();
        }

        assertThat(database.opened).hasSize(2);
    }

    @Test
    void afterAFailureToConnectCallsFailAtOnceForAWhileThatDoubles() {
        database.onConnect = () -> {
            throw new SQLException("unable to connect", "", 14);
        };
        int tries = 0;
        for (int pause : new int[] {100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000}) {
            refused(StoreClient.call(), StoreSetupException.class, "");
            assertThat(database.asked).hasSize(++tries);
            refused(StoreClient.call(), StoreSetupException.class, "(tried less than " + pause + " ms ago)");
            // A quarter of it is spread, so that clients that lost the same server do not come back in step.
            pass(pause * 3 / 4 - 1);
            refused(StoreClient.call(), StoreSetupException.class, "(tried less than " + pause + " ms ago)");
            assertThat(database.asked).hasSize(tries);
            pass(pause / 4 + 1);
        }
    }

    private void pass(long millis) {
        nanos.addAndGet(millis * 1_000_000);
    }

    private void refused(CallContext call, Class<? extends RuntimeException> as, String more) {
        assertThatExceptionOfType(as)
                .isThrownBy(() -> StoreClient.answer(submit(Worker.Lane.ORDINARY, call, WorkerTest::one)))
                .withMessageStartingWith("trial: connecting: ")
                .withMessageEndingWith(more)
                .satisfies(
                        e -> assertThat(e.getMessage().contains("tried less")).isEqualTo(!more.isEmpty()));
    }

    /** What recovers is found in the time that the bound for a take-over has room for. */
    @Test
    void thePauseIsNoLongerThanACallMayTake() {
        database.onConnect = () -> {
            throw new SQLException("unable to connect", "", 10);
        };
        CallContext brief = CallContext.until(150_000_000, () -> 0);
        for (int pause : new int[] {100, 150, 150}) {
            refused(brief, StoreUnavailableException.class, "");
            refused(brief, StoreUnavailableException.class, "(tried less than " + pause + " ms ago)");
            pass(pause);
        }

        assertThat(database.asked).containsExactly(150L, 150L, 150L);
    }

    @Test
    void onceConnectedTheNextFailureIsTheFirstAgain() {
        AtomicBoolean fails = new AtomicBoolean(true);
        database.onConnect = () -> {
            if (fails.get()) {
                throw new SQLException("unable to connect", "", 10);
            }
        };
        refused(StoreClient.call(), StoreUnavailableException.class, "");
        pass(100);
        refused(StoreClient.call(), StoreUnavailableException.class, "");
        pass(200);
        fails.set(false);
        assertThat(one()).isEqualTo(1);

        database.fault = Fault.broken("reset");
        fails();
        database.fault = null;
        fails.set(true);
        refused(StoreClient.call(), StoreUnavailableException.class, "");
        refused(StoreClient.call(), StoreUnavailableException.class, "(tried less than 100 ms ago)");
    }

    /** A server that hangs is not waited for longer than five seconds, however long the call may take. */
    @Test
    void aTryToConnectMayTakeWhatIsLeftOfTheCallAndFiveSecondsAtMost() {
        one();
        database.fault = Fault.broken("reset");
        fails();
        database.fault = null;

        StoreClient.answer(submit(Worker.Lane.ORDINARY, CallContext.until(3_000_000_000L, () -> 0), WorkerTest::one));

        assertThat(database.asked).containsExactly(5_000L, 3_000L);
    }

    /** A pool has none to give just now: the call fails in its time, and the connection serves the next one. */
    @Test
    void aConnectionThatComesTooLateForItsCallServesTheNext() {
        CountDownLatch let = new CountDownLatch(1);
        database.onConnect = () -> await(let);

        CallContext brief = CallContext.until(20_000_000, () -> 0);
        assertThatThrownBy(() -> StoreClient.answer(submit(Worker.Lane.ORDINARY, brief, WorkerTest::one)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: connecting: no connection within 20 ms: the server does not answer,"
                        + " or a pool has none to give");
        let.countDown();
        Await.until("the connection", Duration.ofSeconds(30), () -> !database.opened.isEmpty());

        assertThat(one()).isEqualTo(1);
        assertThat(database.asked).hasSize(1);
    }

    /** Pools want to see theirs now and then. The old one works on until the other one is here. */
    @Test
    void anOldConnectionIsExchangedWhenAnotherOneHasCome() {
        CountDownLatch let = new CountDownLatch(1);
        one();
        database.onConnect = () -> await(let);
        database.maxAgeNanos = 0;
        Await.until(
                "another one to be asked for", Duration.ofSeconds(30), () -> one() == 1 && database.asked.size() == 2);
        for (int i = 0; i < 5; i++) {
            assertThat(one()).isEqualTo(1);
        }
        assertThat(database.asked).hasSize(2);
        Connection former = database.opened.get(0);
        assertThat(isClosed(former)).isFalse();

        let.countDown();

        Await.until("the old one to be closed", Duration.ofSeconds(30), () -> one() == 1 && isClosed(former));
    }

    /** It is not asked again for a minute, and the old connection goes on working. */
    @Test
    void anExchangeThatFailsIsNoFailureOfACall() {
        one();
        database.maxAgeNanos = 0;
        database.onConnect = () -> {
            throw new SQLException("no more connections");
        };

        Await.until(
                "another one to be asked for", Duration.ofSeconds(30), () -> one() == 1 && database.asked.size() == 2);
        for (int i = 0; i < 200; i++) {
            assertThat(one()).isEqualTo(1);
        }

        assertThat(database.asked).hasSize(2);
        assertThat(database.opened).hasSize(1);
        pass(60_000);
        Await.until("another try", Duration.ofSeconds(30), () -> one() == 1 && database.asked.size() == 3);
    }

    // ---- the end ----

    @Test
    void aClosedWorkerFailsWhatWaitsAndWhatComes() throws Exception {
        CountDownLatch let = new CountDownLatch(1);
        CompletableFuture<Boolean> running = occupy(let);
        CompletableFuture<Boolean> urgent = submit(Worker.Lane.URGENT, StoreClient.call(), turn -> true);
        CompletableFuture<Boolean> ordinary = submit(turn -> true);
        Thread closer = new Thread(worker::close);
        closer.start();

        for (CompletableFuture<Boolean> waiting : List.of(urgent, ordinary)) {
            assertThatThrownBy(() -> StoreClient.answer(waiting))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage("trial: trying: the store was closed first");
        }
        let.countDown();
        closer.join();

        assertThat(running).isCompletedWithValue(true);
        assertThatThrownBy(this::one)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: trying: the store is closed");
        assertThat(database.opened).hasSize(1).allMatch(WorkerTest::isClosed);
        worker.close();
    }

    @Test
    void aCallMayCloseItsOwnWorker() {
        int answer = StoreClient.answer(submit(turn -> {
            worker.close();
            return 3;
        }));

        assertThat(answer).isEqualTo(3);

        Await.until("the connection to be closed", Duration.ofSeconds(30), () -> isClosed(database.opened.get(0)));
    }

    /** It is cut after a moment, and its caller is told. */
    @Test
    void aCallThatHangsIsCutWhenTheWorkerIsClosed() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<Boolean> hanging = occupy(never);

        worker.close();

        assertThatThrownBy(() -> StoreClient.answer(hanging))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("trial: trying: the store was closed while it hung");
        never.countDown();
    }

    /** It is a pool's, and must not be lost. */
    @Test
    void aConnectionThatComesAfterTheCloseIsGivenBack() {
        CountDownLatch let = new CountDownLatch(1);
        CountDownLatch connecting = new CountDownLatch(1);
        database.onConnect = () -> {
            connecting.countDown();
            boolean isInterrupted = false;
            while (true) {
                try {
                    let.await();
                    break;
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        };
        CompletableFuture<Integer> call = submit(WorkerTest::one);
        await(connecting);

        worker.close();
        assertThatThrownBy(() -> StoreClient.answer(call)).isInstanceOf(StoreUnavailableException.class);
        let.countDown();

        Await.until(
                "the late connection to be closed",
                Duration.ofSeconds(30),
                () -> database.opened.size() == 1 && isClosed(database.opened.get(0)));
    }

    // ---- what hangs ----

    private Integer write() {
        return StoreClient.answer(submit(
                turn -> Jdbc.update(turn.nextWrite(), "CREATE TABLE IF NOT EXISTS written (id INTEGER PRIMARY KEY)")));
    }

    @Test
    void noWriteIsSentBehindThoseThatHangAndReadsGoOn() {
        database.fault = Fault.broken("no answer in time");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreClient.answer(submit(turn -> {
                    turn.nextWrite();
                    nanos.addAndGet(200);
                    throw new SQLException("no answer");
                })));
        assertThat(database.hangingNanos)
                .as("asked of a connection that is well")
                .isEmpty();
        database.fault = null;
        database.hanging = "3 of them hang";
        nanos.addAndGet(50);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(this::write)
                .withMessage("trial: trying: nothing was written, because 3 of them hang");
        nanos.addAndGet(50);
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(this::write);
        assertThat(one()).isOne();
        database.hanging = null;
        write();
        write();

        // Sent 200 before it was given up, it had begun in between.
        assertThat(database.hangingNanos).containsExactly(150L, 200L, 200L);
        assertThat(database.opened).hasSize(2);
    }
}
