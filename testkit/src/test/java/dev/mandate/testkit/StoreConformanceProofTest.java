package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.mandate.internal.memory.MemoryStoreProvider;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The suite, proved: every case finds a mistake that was planted for it, and finds nothing where none was. */
@Tag("long")
@Order(1)
class StoreConformanceProofTest {
    private static final String BUG = "mandate.proof.bug";
    private static final String PLANTED = "mandate.proof.planted";

    @ParameterizedTest
    @EnumSource
    void theCaseFindsItsBug(PlantedStoreBug bug) {
        DiscoverySelector foundBy = selectMethod(PlantedConformance.class, bug.foundBy);

        TestExecutionSummary without = run(foundBy, bug, false);
        TestExecutionSummary with = run(foundBy, bug, true);

        assertThat(without.getTestsSucceededCount())
                .as(
                        "%s without the bug: %s",
                        bug.foundBy,
                        without.getFailures().stream()
                                .map(f -> f.getException())
                                .toList())
                .isEqualTo(1);
        assertThat(without.getTestsFailedCount()).isZero();
        assertThat(with.getTestsFailedCount())
                .as("%s with the bug", bug.foundBy)
                .isEqualTo(1);
        assertThat(with.getFailures().get(0).getException()).isInstanceOf(AssertionError.class);
    }

    /** A case that no planted bug fails may be one that can't fail. */
    @Test
    void everyCaseHasABug() {
        Set<String> cases = new TreeSet<>();
        for (Class<?> type = StoreConformance.class; type != Object.class; type = type.getSuperclass()) {
            Stream.of(type.getDeclaredMethods())
                    .filter(method -> method.isAnnotationPresent(Test.class))
                    .map(Method::getName)
                    .forEach(cases::add);
        }
        Set<String> proved =
                Arrays.stream(PlantedStoreBug.values()).map(bug -> bug.foundBy).collect(Collectors.toSet());

        // Proved below, with a provider of its own.
        cases.remove("aBadUrlIsRefusedByName");
        assertThat(proved).isEqualTo(cases);
    }

    @Test
    void aUrlThatIsAcceptedIsFound() {
        TestExecutionSummary summary =
                run(selectMethod(AcceptingConformance.class, "aBadUrlIsRefusedByName"), null, false);

        assertThat(summary.getTestsFailedCount()).isEqualTo(1);
        assertThat(summary.getFailures().get(0).getException()).isInstanceOf(AssertionError.class);
    }

    @Test
    void aCaseReplacedWithoutReasonFailsTheClass() {
        TestExecutionSummary summary = run(selectClass(SilentConformance.class), null, false);

        assertThat(summary.getTestsStartedCount()).isZero();
        assertThat(summary.getFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.getException())
                        .hasMessageContainingAll("SilentConformance", "aFreshKeyIsVacant", "@Deviation"));
    }

    @Test
    void aCaseReplacedWithAReasonIsFine() {
        TestExecutionSummary summary =
                run(selectMethod(FrankConformance.class, "anAcquiredRecordComesBackWhole"), null, false);

        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        assertThat(summary.getFailures()).isEmpty();
    }

    private static TestExecutionSummary run(DiscoverySelector selector, PlantedStoreBug bug, boolean isPlanted) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selector)
                .configurationParameter(BUG, bug == null ? "" : bug.name())
                .configurationParameter(PLANTED, Boolean.toString(isPlanted))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }

    /** The suite on a {@code memory:} store, with or without the bug that the launcher names. */
    static class PlantedConformance extends StoreConformance {
        private MemoryFaults faults;
        private String name;
        private PlantedStoreBug bug;
        private boolean isPlanted;

        @RegisterExtension
        final BeforeEachCallback settings = context -> {
            bug = context.getConfigurationParameter(BUG)
                    .filter(name -> !name.isEmpty())
                    .map(PlantedStoreBug::valueOf)
                    .orElse(null);
            isPlanted = context.getConfigurationParameter(PLANTED)
                    .map(Boolean::parseBoolean)
                    .orElse(false);
            // Data of its own: a store that forgets to close would keep what others find.
            name = getClass().getSimpleName() + "-" + bug + "-" + isPlanted;
            faults = MemoryFaults.of(name);
        };

        @Override
        protected ElectionStore open() {
            return open("");
        }

        private ElectionStore open(String more) {
            String parameters = bug == null ? "" : (isPlanted ? bug.kind : bug.control).parameters;
            BuggyStore store = new BuggyStore(
                    new MemoryStoreProvider().open(StoreUrl.parse("memory:" + name + "?" + parameters + more)));
            if (isPlanted) {
                bug.plant.accept(store);
            }
            return store;
        }

        @Override
        protected Duration shortestLease() {
            return Duration.ofMillis(700);
        }

        @Override
        protected Duration hintWithin() {
            return Duration.ofSeconds(2);
        }

        @Override
        protected int rounds() {
            return 50;
        }

        @Override
        protected Optional<Callable<ElectionStore>> broken() {
            faults.only("broken").failPermanently("give the new password");
            return Optional.of(() -> open("&as=broken"));
        }

        @Override
        protected boolean writeForeign(RecordKey key, String text) {
            faults.overwriteRecord(key.name(), text);
            return true;
        }

        @AfterEach
        void letGo() {
            faults.close();
        }
    }

    /** Says that a good URL is bad. */
    static final class AcceptingConformance extends PlantedConformance {
        @Override
        protected Map<String, List<String>> badUrls() {
            return Map.of("memory:", List.of("anything"));
        }
    }

    static final class SilentConformance extends PlantedConformance {
        @Override
        protected void aFreshKeyIsVacant() {
            // Dropped without a word.
        }
    }

    static final class FrankConformance extends PlantedConformance {
        @Override
        @Deviation("a test of deviations")
        protected void aFreshKeyIsVacant() {
            // Replaced by nothing, for a reason.
        }
    }
}
