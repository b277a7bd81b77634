package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
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
import org.junit.jupiter.api.Test;

/** In what order calls are made, when a call is not made at all, and what becomes of those that wait or hang. */
class WorkerTest extends WorkerRig {
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
        assertThat(database.opened).hasSize(1).allMatch(WorkerRig::isClosed);
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
        CompletableFuture<Integer> call = submit(WorkerRig::one);
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
