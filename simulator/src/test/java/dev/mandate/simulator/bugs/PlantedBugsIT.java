package dev.mandate.simulator.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every planted bug is found, in every build, from a seed base that nobody has used before ({@code
 * -Dmandate.simulator.base=SEED} hunts from the same one again), and by the seed that stands in the ledger. A fresh
 * base shows what a fixed one hides: a bug that is found by luck. It costs no stability, because each budget has the
 * margin that {@link Survey#MARGIN} explains and {@link LedgerTest} checks.
 *
 * <p>The hunts run side by side, as many as there are processors, and each on an engine of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlantedBugsIT {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();

    private final long base = Long.getLong("mandate.simulator.base", new SecureRandom().nextLong() >>> 24);
    private final ExecutorService workers = Executors.newFixedThreadPool(THREADS);
    private final Map<String, Future<Trail>> trails = new LinkedHashMap<>();

    /**
     * What one bug was seen to do.
     *
     * @param fresh what was found from the fresh base on
     * @param listed what the seed in the ledger broke
     * @param unedited what the very same schedules broke without the bug
     */
    private record Trail(Optional<Find> fresh, Optional<Find> listed, Optional<Find> unedited) {}

    static List<PlantedBug> bugs() {
        return PlantedBugs.all();
    }

    @BeforeAll
    void hunt() throws IOException {
        System.out.println("planted bugs: seed base " + base);
        Map<String, Ledger.Entry> entries = LedgerTest.entries();
        EditedEngine unedited = new EditedEngine("none", List.of());
        for (PlantedBug bug : bugs()) {
            Ledger.Entry entry = entries.get(bug.name());
            trails.put(bug.name(), workers.submit(() -> hunt(bug, entry, unedited)));
        }
    }

    private Trail hunt(PlantedBug bug, Ledger.Entry entry, EditedEngine unedited) {
        Hunt hunt = Hunt.plant(bug);
        Optional<Find> fresh = hunt.from(base);
        Optional<Find> listed = hunt.at(entry.seed(), entry.kind());
        long seeds = fresh.map(Find::seeds).orElse(1L);
        Optional<Find> without = unedited.searchAny(bug.aim(), bug.kind(), base, seeds)
                .or(() -> unedited.searchAny(bug.aim(), entry.kind(), entry.seed(), 1));
        return new Trail(fresh, listed, without);
    }

    @AfterAll
    void stop() {
        workers.shutdownNow();
    }

    private Trail trail(PlantedBug bug) throws Exception {
        return trails.get(bug.name()).get();
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void isFoundWithinItsBudgetByAnInvariantThatNamesItsHarm(PlantedBug bug) throws Exception {
        Optional<Find> find = trail(bug).fresh();

        assertThat(find)
                .as(
                        "%s (%s) found by one of %s within %,d seeds from %d on",
                        bug.name(), bug.what(), bug.invariants(), bug.seedsMax(), base)
                .isPresent();
        assertThat(find.orElseThrow().seeds()).isLessThanOrEqualTo(bug.seedsMax());
        assertThat(bug.invariants()).contains(find.orElseThrow().invariant());
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void isFoundByTheSeedInTheLedger(PlantedBug bug) throws Exception {
        Ledger.Entry entry = LedgerTest.entries().get(bug.name());

        assertThat(trail(bug).listed().map(Find::invariant))
                .as(
                        "what --seed %d --expiry %s finds of %s; to write the ledger anew, see LedgerTest",
                        entry.seed(), entry.kind().text(), bug.name())
                .contains(entry.invariant());
    }

    /** The edit breaks it, not the loader, the world or the checkers. */
    @ParameterizedTest
    @MethodSource("bugs")
    void theSameSchedulesBreakNothingWithoutIt(PlantedBug bug) throws Exception {
        assertThat(trail(bug).unedited())
                .as(
                        "what the schedules that were tried for %s break without it; replay with --aim %s",
                        bug.name(), bug.aim().text())
                .isEmpty();
    }

    @Test
    void namesAreUniqueAndPlain() {
        assertThat(bugs()).extracting(PlantedBug::name).doesNotHaveDuplicates().allMatch(n -> n.matches("[a-z-]+"));
    }

    @Test
    void theOldestMistakesAreAmongThem() {
        assertThat(bugs()).hasSizeGreaterThanOrEqualTo(30);
        assertThat(bugs())
                .extracting(PlantedBug::name)
                .contains(
                        "deadline-from-the-reply",
                        "deadline-from-an-older-reply",
                        "unknown-acquire-is-a-win",
                        "unknown-acquire-is-a-loss",
                        "unknown-renewal-is-a-loss",
                        "refused-renewal-that-landed-is-a-loss",
                        "record-matched-by-name",
                        "record-matched-by-incarnation",
                        "haunted-session-not-watched",
                        "late-unlock-frees-a-later-term",
                        "released-before-the-work-stopped",
                        "hint-trusted-as-proof",
                        "no-drift-margin",
                        "is-valid-by-flag",
                        "session-end-not-told-to-one-election",
                        "overrun-released-by-close",
                        "polling-follower-unlimited-leader",
                        "expiry-learnt-from-the-watch");
    }

    @Test
    void aSeedIsToldStepByStep() {
        PlantedBug bug = PlantedBugs.named("is-valid-by-flag").orElseThrow();
        Hunt hunt = Hunt.plant(bug);
        Find find = hunt.from(base).orElseThrow();

        String told = hunt.tell(find.seed(), find.kind(), 20);

        assertThat(told).contains("aim " + Aim.SWARM.text()).endsWith(find.invariant() + ": " + find.words());
        assertThat(told.lines().count()).isGreaterThan(25);
        assertThat(find.kind()).isEqualTo(StoreKind.ofSeed(find.seed()));
    }
}
