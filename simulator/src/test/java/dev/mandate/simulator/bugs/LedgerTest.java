package dev.mandate.simulator.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.check.Invariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The ledger says what the code says. To write it anew with seeds that find the bugs:
 * {@code mvn -pl simulator -am test -Dtest=LedgerTest -Dsurefire.failIfNoSpecifiedTests=false -Dledger.rewrite=seeds};
 * with {@code all} instead of {@code seeds}, how many seeds it takes is measured anew as well; with {@code missing},
 * only of bugs that the ledger does not list yet. {@link PlantedBugsIT} replays the seeds.
 */
class LedgerTest {
    static final Path FILE = Path.of("..", "docs", "planted-bugs.md");

    /** Measuring anew may take an hour. */
    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void ledgerAndCodeAgree() throws Exception {
        List<PlantedBug> bugs = PlantedBugs.all();
        String rewrite = System.getProperty("ledger.rewrite", "");
        if (!rewrite.isEmpty()) {
            Map<String, Ledger.Entry> known = rewrite.equals("all") ? Map.of() : entries();
            List<PlantedBug> anew = rewrite.equals("missing")
                    ? bugs.stream()
                            .filter(bug -> !known.containsKey(bug.name()))
                            .toList()
                    : bugs;
            Map<String, Ledger.Entry> entries = new LinkedHashMap<>(known);
            entries.putAll(measured(anew, known));
            Files.writeString(FILE, Ledger.text(bugs, entries));
        }

        String written = Files.readString(FILE);

        assertThat(written).as("%s; to write it anew, see LedgerTest", FILE).isEqualTo(Ledger.text(bugs, entries()));
    }

    @Test
    void everyBudgetHasAmpleMargin() throws IOException {
        Map<String, Ledger.Entry> entries = entries();

        assertThat(entries).isNotEmpty();
        assertThat(PlantedBugs.all()).allSatisfy(bug -> {
            Ledger.Entry entry = entries.get(bug.name());
            assertThat(entry).as(bug.name()).isNotNull();
            assertThat(bug.seedsMax())
                    .as("budget of %s, half of whose hunts need %d seeds", bug.name(), entry.median())
                    .isBetween(Survey.MARGIN * entry.median(), PlantedBug.SEEDS_MOST);
            assertThat(bug.invariants()).contains(entry.invariant());
        });
    }

    /** A count of requests tells that something is wrong, and not what: the harm has an invariant of its own. */
    @Test
    void noBugIsFoundByItsLoadAlone() throws IOException {
        assertThat(PlantedBugs.all())
                .allSatisfy(
                        bug -> assertThat(bug.invariants()).as(bug.name()).isNotEqualTo(EnumSet.of(Invariant.LOAD)));
        assertThat(entries())
                .allSatisfy(
                        (bug, entry) -> assertThat(entry.invariant()).as(bug).isNotEqualTo(Invariant.LOAD));
    }

    static Map<String, Ledger.Entry> entries() throws IOException {
        return Ledger.read(Files.readAllLines(FILE));
    }

    private static Map<String, Ledger.Entry> measured(List<PlantedBug> bugs, Map<String, Ledger.Entry> known)
            throws Exception {
        ExecutorService workers =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            Map<String, Future<Ledger.Entry>> running = new LinkedHashMap<>();
            bugs.forEach(bug -> running.put(bug.name(), workers.submit(() -> Survey.of(bug, known.get(bug.name())))));
            Map<String, Ledger.Entry> entries = new LinkedHashMap<>();
            for (Map.Entry<String, Future<Ledger.Entry>> each : running.entrySet()) {
                entries.put(each.getKey(), each.getValue().get());
            }
            return entries;
        } finally {
            workers.shutdownNow();
        }
    }
}
