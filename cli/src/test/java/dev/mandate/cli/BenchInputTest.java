package dev.mandate.cli;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code bench registry} and {@code bench arrival} refuse, before they ask any store. */
class BenchInputTest {
    private static void refused(String words, String... args) {
        Called.with(Map.of(), args).assertRefused(ExitCode.BAD_INPUT, words);
    }

    @Test
    void refusesFiguresThatDoNotExist() {
        refused(
                "--only is 'speed'; give one of seen, gone, renewals, following, restarts",
                "bench",
                "registry",
                "--only",
                "speed",
                "memory:b");
        refused("--only is 'idle'; give one of handover, terms", "bench", "arrival", "--only", "idle", "memory:b");
    }

    @Test
    void refusesSizesOutOfBounds() {
        refused("--runs is 0; give 1 to 1000", "bench", "registry", "--runs", "0", "memory:b");
        refused("--rounds is 10001; give 1 to 10000", "bench", "registry", "--rounds", "10001", "memory:b");
        refused("--elections is 100001; give 1 to 100000", "bench", "registry", "--elections", "100001", "memory:b");
        refused("--registrations is 0; give 1 to 10000", "bench", "registry", "--registrations", "0", "memory:b");
        refused("--services is 1001; give 1 to 1000", "bench", "registry", "--services", "1001", "memory:b");
        refused("--restarts is 1; give 2 to 10000", "bench", "registry", "--restarts", "1", "memory:b");
        refused("--candidates is 1; give 2 to 1000", "bench", "arrival", "--candidates", "1", "memory:b");
        refused("--among is 201; give 2 to 200", "bench", "arrival", "--among", "201", "memory:b");
        refused("--resignations is 0; give 1 to 10000", "bench", "arrival", "--resignations", "0", "memory:b");
        refused("--during is 500 ms; give 1s to 24h", "bench", "arrival", "--during", "500ms", "memory:b");
        refused("is not a whole number", "bench", "registry", "--runs", "many", "memory:b");
    }

    @Test
    void refusesOptionsOfWhatIsNotMeasured() {
        refused(
                "--services says what 'following' does, and --only is 'seen'; leave it out, or give --only following",
                "bench",
                "registry",
                "--only",
                "seen",
                "--services",
                "3",
                "memory:b");
        refused("--among says what 'terms' does", "bench", "arrival", "--only", "handover", "--among", "3", "memory:b");
    }

    /** Nothing there would have an effect. */
    @Test
    void refusesWhatStandsInFrontOfTheName() {
        refused("something is given in front of 'registry'", "bench", "--quick", "registry", "memory:b");
        refused("something is given in front of 'arrival'", "bench", "memory:b", "arrival");
    }

    @Test
    void refusesNewGroups() {
        refused("the store is 'bully', a new group", "bench", "registry", "bully");
        refused("the store is 'peers?lease=3s', a new group", "bench", "arrival", "peers?lease=3s");
    }
}
