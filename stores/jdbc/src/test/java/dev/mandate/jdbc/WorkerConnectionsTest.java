package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** When a connection is opened, kept, exchanged and given up. */
class WorkerConnectionsTest extends WorkerRig {
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
                .isThrownBy(() -> StoreClient.answer(submit(Worker.Lane.ORDINARY, call, WorkerRig::one)))
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

        StoreClient.answer(submit(Worker.Lane.ORDINARY, CallContext.until(3_000_000_000L, () -> 0), WorkerRig::one));

        assertThat(database.asked).containsExactly(5_000L, 3_000L);
    }

    /** A pool has none to give just now: the call fails in its time, and the connection serves the next one. */
    @Test
    void aConnectionThatComesTooLateForItsCallServesTheNext() {
        CountDownLatch let = new CountDownLatch(1);
        database.onConnect = () -> await(let);

        CallContext brief = CallContext.until(20_000_000, () -> 0);
        assertThatThrownBy(() -> StoreClient.answer(submit(Worker.Lane.ORDINARY, brief, WorkerRig::one)))
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
}
