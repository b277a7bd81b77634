package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.StoreClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one file: in a storm, frozen, killed. */
@Tag("long")
class SqliteProcessesTest {
    private static final int PROCESSES = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final RecordKey SHARED = RecordKey.election("shared");

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("mandate.db");
    }

    private static JdbcElectionStore open(Path file) {
        return (JdbcElectionStore) new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + file));
    }

    /**
     * Ten processes acquire, renew and release as fast as they can. Versions count the writes of the table: as many
     * must have been made as were confirmed, and those whose answer was not known may be among them.
     */
    @Test
    void tenProcessesInAStormLoseNothing() throws Exception {
        long before;
        try (StoreClient client = new StoreClient(open(file()))) {
            client.release(client.lead(SHARED));
            before = number("SELECT max(version) FROM mandate_election");
        }
        List<CandidateProcess> storm = new ArrayList<>();
        List<Long> terms = new ArrayList<>();
        long written = 0;
        long unknown = 0;
        long refused = 0;
        try {
            for (int i = 0; i < PROCESSES; i++) {
                storm.add(
                        CandidateProcess.java(Stormer.class, file().toString()).start());
            }
            for (CandidateProcess process : storm) {
                process.await("its being ready", PATIENCE, "ready"::equals);
            }
            storm.forEach(process -> process.send("go"));
            for (CandidateProcess process : storm) {
                String[] counts = process.await("its summary", PATIENCE, line -> line.startsWith("done "))
                        .split(" ");
                written += Long.parseLong(counts[1]);
                unknown += Long.parseLong(counts[2]);
                refused += Long.parseLong(counts[3]);
                process.lines().stream()
                        .filter(line -> line.startsWith("term "))
                        .forEach(line -> terms.add(Long.parseLong(line.substring(5))));
            }
        } finally {
            storm.forEach(CandidateProcess::close);
        }

        System.out.println("storm: " + written + " writes confirmed, " + refused + " refused, " + unknown + " unknown, "
                + terms.size() + " terms");
        assertThat(terms).isNotEmpty().doesNotHaveDuplicates();
        assertThat(number("SELECT max(version) FROM mandate_election") - before).isBetween(written, written + unknown);
        assertThat(number("SELECT max(term) FROM mandate_election"))
                .isGreaterThanOrEqualTo(
                        terms.stream().mapToLong(Long::longValue).max().orElseThrow());
    }

    /** One of the storm; says every term it won. */
    static final class Stormer {
        private Stormer() {}

        public static void main(String[] arguments) throws IOException {
            long written = 0;
            long unknown = 0;
            long refused = 0;
            StringBuilder terms = new StringBuilder();
            try (JdbcElectionStore store = open(Path.of(arguments[0]))) {
                StoreClient client = new StoreClient(store);
                System.out.println("ready");
                System.in.read();
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
                while (System.nanoTime() < end) {
                    try {
                        Observation seen = client.read(SHARED);
                        boolean isMine = seen instanceof Observation.Held held
                                && held.basis() instanceof HeldAt at
                                && at.session().equals(client.session().id());
                        WriteOutcome outcome = isMine
                                ? client.release((Observation.Held) seen)
                                : seen instanceof Observation.Vacant ? client.acquire(SHARED, seen) : null;
                        if (outcome instanceof WriteOutcome.Written now) {
                            written++;
                            if (now.now() instanceof Observation.Held held) {
                                terms.append("term ").append(held.term()).append('\n');
                            }
                        } else if (outcome != null) {
                            refused++;
                        }
                    } catch (StoreUnavailableException e) {
                        unknown++;
                    }
                    try {
                        if (client.renew() == SessionRenewal.gone()) {
                            throw new AssertionError("the session is gone, but nobody ended it");
                        }
                    } catch (StoreUnavailableException e) {
                        // Busy is no loss: the next renewal finds out.
                    }
                }
            }
            System.out.print(terms);
            System.out.println("done " + written + " " + unknown + " " + refused);
        }
    }

    /** A process that stands still between its statements holds no lock: everybody else goes on, and takes over. */
    @Test
    void aProcessFrozenBetweenStatementsBlocksNobody() throws Exception {
        try (CandidateProcess holder =
                        CandidateProcess.java(Holder.class, file().toString()).start();
                StoreClient other = new StoreClient(open(file()))) {
            holder.await("it to lead", PATIENCE, "leading"::equals);
            holder.freeze();

            other.lead(RecordKey.election("another"));
            other.renew();
            Observation.Held taken = StoreClient.written(other.acquire(SHARED, other.readHeld(SHARED)));

            holder.thaw();
            holder.send("renew");
            holder.await("it to learn that it was deposed", PATIENCE, "gone"::equals);
            assertThat(other.readHeld(SHARED).basis()).isEqualTo(taken.basis());
        }
    }

    /** Leads, and then renews whenever it is told to. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            try (StoreClient client = new StoreClient(open(Path.of(arguments[0])))) {
                client.lead(SHARED);
                System.out.println("leading");
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                while (input.readLine() != null) {
                    System.out.println(client.renew() == SessionRenewal.gone() ? "gone" : "renewed");
                }
            }
        }
    }

    /**
     * The documented exception: while a writer stands still in a write, others wait. They lose nothing, and go on when
     * it is killed.
     */
    @Test
    void aProcessFrozenInsideAWriteMakesOthersUnknownUntilItIsKilled() throws Exception {
        try (StoreClient leader = new StoreClient(open(file()))) {
            Observation.Held led = leader.lead(SHARED);
            try (CandidateProcess writer = CandidateProcess.java(Writer.class, file().toString(), SHARED.path())
                    .start()) {
                writer.await("it to be inside a write", PATIENCE, "inside"::equals);
                writer.freeze();
                CallContext soon = CallContext.within(Duration.ofMillis(300));

                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> StoreClient.answer(leader.session().renew(soon)))
                        .withMessageContaining("another process was writing all the time; nothing was written");
                try (JdbcElectionStore reader = open(file())) {
                    assertThat(StoreClient.answer(reader.read(SHARED, StoreClient.call()))
                                    .basis())
                            .isEqualTo(led.basis());
                }

                writer.kill();
            }

            assertThat(leader.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(leader.readHeld(SHARED).basis())
                    .as("what the killed one wrote")
                    .isEqualTo(led.basis());
        }
    }

    /** Begins a write that would make the key vacant, and never ends it. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws SQLException, IOException {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + arguments[0])) {
                Jdbc.run(
                        connection,
                        "BEGIN IMMEDIATE",
                        "UPDATE mandate_election SET version = version + 1, session = NULL WHERE path = '"
                                + arguments[1] + "'");
                System.out.println("inside");
                System.in.read();
            }
        }
    }

    /** What waits behind a call that is stuck: the overdue is not sent at all, and a renewal goes first. */
    @Test
    void overdueCallsAreNotSentAndRenewalsGoFirst() throws Exception {
        RecordKey late = RecordKey.election("overdue");
        try (StoreClient client = new StoreClient(open(file()));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            Observation vacant = client.read(late);
            Jdbc.run(other, "BEGIN IMMEDIATE");
            JdbcElectionStore store = (JdbcElectionStore) client.store();
            CountDownLatch running = new CountDownLatch(1);
            CallContext second = CallContext.within(Duration.ofSeconds(1));
            var stuck = store.worker().submit(Worker.Lane.ORDINARY, "being stuck", second, turn -> {
                running.countDown();
                return Jdbc.update(turn.next(), store.sql().end(), "nobody");
            });
            running.await();
            var overdue = client.store()
                    .acquire(
                            late,
                            vacant,
                            client.proposal("v"),
                            client.session(),
                            CallContext.within(Duration.ofMillis(200)));
            List<String> order = new CopyOnWriteArrayList<>();
            var read = client.store().read(late, StoreClient.call()).thenAccept(seen -> order.add("read"));
            var renewal = client.session().renew(StoreClient.call()).thenAccept(answer -> order.add("renewal"));

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(stuck))
                    .withMessageContaining("another process was writing");
            Jdbc.run(other, "ROLLBACK");

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(overdue))
                    .withMessageContaining("its time was over before its turn came");
            renewal.toCompletableFuture().get(10, TimeUnit.SECONDS);
            read.toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(order).containsExactly("renewal", "read");
            assertThat(client.read(late).basis()).isEqualTo(vacant.basis());
        }
    }

    @Test
    void closingDoesNotWaitForACallThatIsStuck() throws Exception {
        StoreClient client = new StoreClient(open(file()));
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            Jdbc.run(other, "BEGIN IMMEDIATE");
            JdbcElectionStore store = (JdbcElectionStore) client.store();
            CountDownLatch running = new CountDownLatch(1);
            CallContext minute = CallContext.within(Duration.ofMinutes(1));
            var stuck = store.worker().submit(Worker.Lane.ORDINARY, "being stuck", minute, turn -> {
                running.countDown();
                return Jdbc.update(turn.next(), store.sql().end(), "nobody");
            });
            running.await();
            var queued = client.session().renew(CallContext.within(Duration.ofMinutes(1)));

            long start = System.nanoTime();
            store.close();

            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(stuck))
                    .withMessageContaining("closed while it hung");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> StoreClient.answer(queued))
                    .withMessageContaining("the store was closed first");
            Jdbc.run(other, "ROLLBACK");
        }
    }

    private long number(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            return Jdbc.first(connection, query, row -> row.getLong(1)).orElseThrow();
        }
    }
}
