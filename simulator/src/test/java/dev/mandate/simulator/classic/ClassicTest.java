package dev.mandate.simulator.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What textbooks promise, where they keep it, and where they do not. */
class ClassicTest {
    private static final int SCHEDULES = 20;

    @ParameterizedTest
    @EnumSource
    void electsTheHighestAndTheNextOneAfterIt(Algorithm algorithm) {
        ClassicScenes scenes = new ClassicScenes(algorithm);
        assertThat(followed(scenes)).containsOnly(4);

        scenes.leaderDies();
        assertThat(followed(scenes).subList(0, 4)).containsOnly(3);
        assertThat(scenes.world().severalNanos()).isZero();

        scenes.leaderReturns();
        assertThat(followed(scenes)).containsOnly(4);
        assertThat(scenes.world().severalNanos()).isBetween(1L, 10 * ClassicWorld.MILLI);
    }

    @ParameterizedTest
    @EnumSource
    void aSplitEndsInTwoLeaders(Algorithm algorithm) {
        ClassicScenes scenes = new ClassicScenes(algorithm);

        scenes.networkSplits();
        assertThat(scenes.world().leaders()).containsExactly(1, 4);
        assertThat(scenes.world().longestNanos()).isGreaterThan(ClassicWorld.SECOND);

        scenes.networkHeals();
        assertThat(scenes.world().leaders()).containsExactly(4);
    }

    @ParameterizedTest
    @EnumSource
    void aPauseEndsInTwoLeaders(Algorithm algorithm) {
        ClassicScenes scenes = new ClassicScenes(algorithm);

        scenes.leaderIsPaused();
        assertThat(scenes.world().leaders()).containsExactly(4);
        assertThat(scenes.world().longestNanos()).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void theTranscriptTellsIt(Algorithm algorithm) {
        List<List<String>> transcripts =
                Scene.all(algorithm).stream().map(Scene::transcript).toList();

        assertThat(transcripts.get(0))
                .anyMatch(line -> line.endsWith("  * n4 BELIEVES THAT IT LEADS"))
                .anyMatch(line -> line.endsWith("  n1 follows n4"))
                .noneMatch(line -> line.contains("!!"));
        assertThat(transcripts.get(1)).anyMatch(line -> line.endsWith("  !! TWO LEADERS AT ONCE: n4 and n5"));
        assertThat(transcripts.get(2))
                .anyMatch(line -> line.endsWith("  !! TWO LEADERS AT ONCE: n2 and n5"))
                .anyMatch(line -> line.matches(".*!! only n5 leads again: two led at once for 3\\.[0-9]{3} s"));
        assertThat(transcripts.get(3)).anyMatch(line -> line.endsWith("  !! TWO LEADERS AT ONCE: n4 and n5"));
        assertThat(Scene.all(algorithm)).isEqualTo(Scene.all(algorithm));
    }

    @Test
    void whatIsSentToSeveralAtOnceIsOneLine() {
        List<String> bully =
                new ClassicScenes(Algorithm.BULLY).begin().leaderDies().transcript();
        assertThat(bully)
                .anyMatch(line ->
                        line.endsWith("n2 asks n3, n4 and n5 \"are you alive?\" (ELECTION); n5 does not get it"))
                .anyMatch(line -> line.endsWith("n4 answers n1 \"I am alive\" (ALIVE)"))
                .anyMatch(line -> line.endsWith("n4 tells n1, n2 and n3 \"I lead\" (COORDINATOR)"));

        List<String> ring =
                new ClassicScenes(Algorithm.RING).begin().leaderDies().transcript();
        assertThat(ring)
                .anyMatch(line -> line.endsWith("n4 sends its token to n5; n5 does not get it"))
                .anyMatch(line -> line.endsWith("n4 sends its token to n1"))
                .anyMatch(line ->
                        line.endsWith("n3 adds itself to n4's token, and passes it to n4 (so far n1, n2, n3 and n4)"))
                .anyMatch(line -> line.endsWith("n4 has its token back, and tells n1 \"I lead\""))
                .anyMatch(line -> line.endsWith("n1 passes on to n2 \"n4 leads\""));
    }

    @ParameterizedTest
    @EnumSource
    void everySplitAndNoCrashEndsInTwoLeadersForLong(Algorithm algorithm) {
        ClassicRates crashes = ClassicRates.of(algorithm, Faults.CRASHES, SCHEDULES, 1);
        assertThat(crashes.withSeveral()).isEqualTo(SCHEDULES);
        assertThat(crashes.withSeveralForLong()).isZero();

        for (Faults faults : List.of(Faults.SPLITS, Faults.ALL)) {
            ClassicRates splits = ClassicRates.of(algorithm, faults, SCHEDULES, 1);
            assertThat(splits.withSeveralForLong()).isEqualTo(SCHEDULES);
            assertThat(splits.share()).isBetween(0.1, 0.5);
        }

        assertThat(ClassicRates.of(algorithm, Faults.PAUSES, SCHEDULES, 1).withSeveral())
                .isEqualTo(SCHEDULES);
        assertThat(ClassicRates.of(algorithm, Faults.LOSS, SCHEDULES, 1).withSeveralForLong())
                .isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void theSameSeedsGiveTheSameRatesAndOthersDoNot(Algorithm algorithm) {
        ClassicRates rates = ClassicRates.of(algorithm, Faults.ALL, 10, 6);

        assertThat(ClassicRates.of(algorithm, Faults.ALL, 10, 6)).isEqualTo(rates);
        assertThat(ClassicRates.of(algorithm, Faults.ALL, 10, 7)).isNotEqualTo(rates);
    }

    @ParameterizedTest
    @EnumSource
    void everySceneSaysWhatIsToBeLearnt(Algorithm algorithm) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Classic.show(algorithm, 2, 1, new PrintStream(out, true, StandardCharsets.UTF_8));
        String shown = out.toString(StandardCharsets.UTF_8);

        assertThat(shown.lines().filter(line -> line.startsWith("Learn: "))).hasSize(4);
        assertThat(shown).startsWith("Classic " + algorithm.text() + ": ");
        for (Faults faults : Faults.values()) {
            assertThat(shown).contains("\n" + faults.text() + " ");
        }
        assertThat(shown.lines()).allMatch(line -> line.length() <= 110);
    }

    private static List<Integer> followed(ClassicScenes scenes) {
        return IntStream.range(0, 5).map(scenes.world()::leaderOf).boxed().toList();
    }
}
