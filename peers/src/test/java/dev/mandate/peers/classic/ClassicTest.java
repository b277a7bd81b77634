package dev.mandate.peers.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.classic.ClassicRates.Faults;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What textbooks promise, where they keep it, and where they do not. */
class ClassicTest {
    private static final int RUNS = 50;

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void electsTheHighestAndTheNextOneAfterIt(Algorithm algorithm) {
        ClassicScenes scenes = new ClassicScenes(algorithm).starts();
        assertThat(followed(scenes)).containsOnly(4);

        scenes.leaderCrashes();
        assertThat(followed(scenes).subList(0, 4)).containsOnly(3);

        scenes.leaderReturns();
        assertThat(followed(scenes)).containsOnly(4);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void aSplitEndsInTwoLeaders(Algorithm algorithm) {
        ClassicScenes scenes = new ClassicScenes(algorithm).starts();
        long before = scenes.world().severalNanos();

        scenes.networkSplits();
        assertThat(scenes.world().leaders()).containsExactly(1, 4);
        assertThat(scenes.world().severalNanos() - before).isGreaterThan(1_000 * ClassicWorld.MILLI);

        scenes.networkHeals();
        assertThat(scenes.world().leaders()).containsExactly(4);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void theTranscriptTellsIt(Algorithm algorithm) {
        List<String> transcript = ClassicScenes.transcript(algorithm);

        System.out.println(algorithm + "\n" + String.join("\n", transcript));
        assertThat(transcript)
                .anyMatch(line -> line.endsWith("* n4 LEADS"))
                .anyMatch(line -> line.endsWith("!! 2 LEADERS AT ONCE: n2, n5"));
        assertThat(transcript).isEqualTo(ClassicScenes.transcript(algorithm));
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void printsHowOftenTwoLead(Algorithm algorithm) {
        for (Faults faults : Faults.values()) {
            System.out.println(algorithm + ", " + faults + ": " + ClassicRates.of(algorithm, faults, RUNS, 5));
        }

        assertThat(ClassicRates.of(algorithm, Faults.ALL, RUNS, 6).withSeveral())
                .isEqualTo(RUNS);
        assertThat(ClassicRates.of(algorithm, Faults.ALL, 10, 6))
                .isEqualTo(ClassicRates.of(algorithm, Faults.ALL, 10, 6));
    }

    private static List<Integer> followed(ClassicScenes scenes) {
        return IntStream.range(0, 5).map(scenes.world()::leaderOf).boxed().toList();
    }
}
