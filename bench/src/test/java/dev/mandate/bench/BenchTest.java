package dev.mandate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.jdbc.JdbcStoreProvider;
import dev.mandate.peers.store.GroupStoreProvider;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench as users run it. Nothing is said here about how fast anything is. */
@Tag("long")
@Order(1)
class BenchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    @TempDir
    private Path folder;

    @Test
    void measures_everything_on_sqlite() {
        try (CandidateProcess bench = CandidateProcess.java(
                        Main.class, "bench", "--quick", "--runs", "1", "sqlite:" + folder + "/bench.db?lease=2s")
                .start()) {
            for (String start : List.of(
                    "Store sqlite:",
                    "hand-over p50",
                    "hand-over p99",
                    "acquisitions",
                    "loss by hand p99",
                    "1 held: renewals",
                    "1000 held: heap",
                    "take-over max")) {
                bench.await("'" + start + "'", PATIENCE, line -> line.startsWith(start));
            }
            assertThat(bench.awaitExit(PATIENCE)).isZero();
            assertThat(bench.log()).noneMatch(line -> line.startsWith("1 held: heap"));
        }
    }

    /** Four restarts: two were killed, and on SQL their records stay until somebody tidies. */
    @Test
    void measures_the_registry_on_sqlite() {
        String[] arguments = {"bench", "registry", "--quick", "sqlite:" + folder + "/registry.db?lease=3s"};
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();
            assertThat(bench.lines())
                    .anyMatch(line -> line.matches("seen p50 +[0-9.,]+ +[0-9.,]+ +ms .* 10 times"))
                    .anyMatch(line -> line.startsWith("seen p99"))
                    .anyMatch(line -> line.matches("killed to gone median +[0-9,]+ +5,175 +ms .*"))
                    .anyMatch(line -> line.matches("killed to gone max .* of 1 within the bound"))
                    .anyMatch(line -> line.matches("renewals +[0-9.]+ +1\\.11 +per L/3 .*"))
                    .anyMatch(line -> line.matches("renewals: requests .* 10 elections and 10 registrations .*"))
                    .anyMatch(line -> line.matches("listing one service +100 +100 +records .* among 200 .*"))
                    .anyMatch(line -> line.matches("listing p50 +[0-9.,]+ +[0-9.,]+ +ms .*"))
                    .anyMatch(line -> line.startsWith("following one"))
                    .anyMatch(line -> line.startsWith("heap of a followed one"))
                    .anyMatch(line -> line.matches("restarts: listed .* after 4 restarts, 2 of them killed"))
                    .anyMatch(line -> line.matches("restarts: records left +2\\.00 +records .* 20 min 0 s.*"));
        }
    }

    @Test
    void measures_order_of_arrival_on_sqlite() {
        String[] arguments = {"bench", "arrival", "--quick", "sqlite:" + folder + "/arrival.db?lease=3s"};
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();
            for (String order : List.of("arrival: ", "race: ")) {
                assertThat(bench.lines())
                        .anyMatch(line -> line.matches(
                                order + "hand-over p50 +[0-9.,]+ +[0-9.,]+ +ms .* 10 resignations, 3 candidates"))
                        .anyMatch(line -> line.startsWith(order + "hand-over p99"))
                        .anyMatch(line -> line.matches(order + "requests +[0-9.]+ .* a hand-over .* writes, .*"))
                        .anyMatch(line -> line.startsWith(order + "idle requests"))
                        .anyMatch(line -> line.startsWith(order + "idle hints"))
                        .anyMatch(line -> line.startsWith(order + "most terms"))
                        .anyMatch(line -> line.matches(order + "fewest terms .* 6 resignations, 3 candidates"));
            }
        }
    }

    @Test
    void measures_what_finding_leaders_costs_on_sqlite() {
        String[] arguments = {"bench", "serve", "--quick", "--store", "sqlite:" + folder + "/serve.db?lease=3s"};
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();
            assertThat(bench.lines())
                    .anyMatch(line -> line.matches("followed: heap +-?[0-9.,]+ +1,024 +bytes each +100 elections .*"))
                    .anyMatch(line -> line.matches("followed: watches +1\\.00 +1\\.00 +of the store"))
                    .anyMatch(line -> line.startsWith("followed: requests"))
                    .anyMatch(line ->
                            line.matches("change told p50 +[0-9.,]+ +[0-9.,]+ +ms +10 changes, each of 10 streams"))
                    .anyMatch(line -> line.matches("change told p99 +[0-9.,]+ +[0-9.,]+ +100 +ms"))
                    .anyMatch(line -> line.startsWith("change told to all p50"))
                    .anyMatch(line -> line.startsWith("change told to all p99"))
                    .anyMatch(line -> line.matches("GET p50 +[0-9.,]+ +[0-9.,]+ +1\\.00 +ms +50 over one .*"))
                    .anyMatch(line -> line.startsWith("GET p99"))
                    .anyMatch(line -> line.matches("GET: store asked +[0-9.]+ +[0-9.]+ +per GET .*"))
                    .anyMatch(line -> line.matches("resolver now\\(\\) +[0-9.,]+ +[0-9.,]+ +1,000 +ns .*"));
        }
    }

    @Test
    void measures_only_what_is_wanted_of_finding_leaders() {
        String[] arguments = {
            "bench", "serve", "--quick", "--json", "--only", "streams", "--streams", "3", "--rounds", "2", "memory:s"
        };
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();

            String json = bench.await("its figures", PATIENCE, line -> line.contains("change told to all p99"));
            assertThat(json)
                    .contains("\"name\":\"change told p50\"", "\"floor\":", "\"bound\":100.0")
                    .contains("\"note\":\"2 changes, each of 3 streams\"")
                    .doesNotContain("followed", "GET", "resolver");
        }
    }

    @Test
    void skips_what_needs_other_processes_in_memory_and_says_so() {
        String[] arguments = {"bench", "registry", "--quick", "--json", "memory:registry?lease=2s"};
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();

            String json = bench.await("its figures", PATIENCE, line -> line.contains("seen p50"));
            assertThat(json).contains("heap of a followed one").doesNotContain("killed to gone", "restarts");
            requireSaid(bench, "gone is skipped");
            requireSaid(bench, "restarts are skipped");
        }
    }

    @Test
    void skips_what_makes_no_sense_in_memory_and_says_so() {
        try (CandidateProcess bench = CandidateProcess.java(
                        Main.class, "bench", "--quick", "--json", "memory:bench?lease=2s")
                .start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();

            String json = bench.await("its figures", PATIENCE, line -> line.contains("hand-over p50"));
            assertThat(json).doesNotContain("take-over");
            requireSaid(bench, "take-over is skipped");
        }
    }

    @Test
    void measures_a_group_of_its_own() {
        String[] arguments = {"bench", "--quick", "--only", "idle", "--held", "1", "peers?lease=1s"};
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();
            assertThat(bench.lines())
                    .anyMatch(line -> line.startsWith("Store peers://127.0.0.1:"))
                    .anyMatch(line -> line.startsWith("1 held: frames"))
                    .anyMatch(line -> line.startsWith("1 followed: processor"));
        }
    }

    @Test
    void counts_in_front_of_an_order_without_hiding_it() {
        try (ElectionStore inOrder = new GroupStoreProvider().open(StoreUrl.parse("bully://127.0.0.1:1"));
                ElectionStore inNone = new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + folder + "/order.db"))) {
            assertThat(CountingStore.of(inOrder))
                    .isInstanceOfSatisfying(
                            Ordered.class, order -> assertThat(order.first()).isEqualTo(((Ordered) inOrder).first()));
            assertThat(CountingStore.of(inNone)).isNotInstanceOf(Ordered.class);
        }
    }

    @Test
    void refuses_what_it_does_not_know() {
        try (CandidateProcess bench = CandidateProcess.java(Main.class, "bench", "--only", "speed", "memory:bench")
                .start()) {
            assertThat(bench.awaitExit(PATIENCE)).isEqualTo(2);
            assertThat(bench.log())
                    .anyMatch(line -> line.contains(
                            "--only is 'speed'; give one of handover, acquisitions, loss, idle, takeover"));
        }
    }

    /** Renewing is about what acquiring was; a session is renewed once for all. */
    @Test
    void holds_fewer_where_each_has_a_lease_and_renewals_would_come_too_late() {
        Duration lease = Duration.ofSeconds(15);

        assertThat(IdleFigure.isSlow(LeaseScope.RECORD, 199, lease)).isTrue();
        assertThat(IdleFigure.isSlow(LeaseScope.RECORD, 201, lease)).isFalse();
        assertThat(IdleFigure.isSlow(LeaseScope.SESSION, 1, lease)).isFalse();
    }

    @Test
    void sorts_its_samples() {
        Samples samples = new Samples(4);
        for (long millis : new long[] {4, 1, 3, 2}) {
            samples.add(millis * 1_000_000);
        }

        assertThat(samples.millis(0)).isEqualTo(1);
        assertThat(samples.millis(0.5)).isEqualTo(2);
        assertThat(samples.millis(0.99)).isEqualTo(4);
        assertThat(samples.millis(1)).isEqualTo(4);
    }

    private static void requireSaid(CandidateProcess bench, String sentence) {
        Await.until(
                "'" + sentence + "'", PATIENCE, () -> bench.log().stream().anyMatch(line -> line.contains(sentence)));
    }
}
