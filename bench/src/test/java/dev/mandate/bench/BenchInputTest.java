package dev.mandate.bench;

import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code bench registry}, {@code bench arrival} and {@code bench serve} refuse, before they ask any store. */
class BenchInputTest {
    private static void refused(String words, String... args) {
        Called.with(Main.PROGRAM, Map.of(), args).assertRefused(ExitCode.BAD_INPUT, words);
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
        refused(
                "--only is 'page'; give one of get, resolver, streams, followed",
                "bench",
                "serve",
                "--only",
                "page",
                "memory:b");
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
        refused("--elections is 0; give 1 to 100000", "bench", "serve", "--elections", "0", "memory:b");
        refused("--streams is 201; give 1 to 200", "bench", "serve", "--streams", "201", "memory:b");
        refused("--rounds is 0; give 1 to 10000", "bench", "serve", "--rounds", "0", "memory:b");
        refused("--gets is 1000001; give 1 to 1000000", "bench", "serve", "--gets", "1000001", "memory:b");
        refused("is not a whole number", "bench", "registry", "--runs", "many", "memory:b");
    }

    @Test
    void refusesOptionsOfWhatIsNotMeasured() {
        refused(
                "--services is an option of 'following', but --only is 'seen'; leave it out, or give --only following",
                "bench",
                "registry",
                "--only",
                "seen",
                "--services",
                "3",
                "memory:b");
        refused(
                "--among is an option of 'terms'",
                "bench",
                "arrival",
                "--only",
                "handover",
                "--among",
                "3",
                "memory:b");
        refused("--gets is an option of 'get'", "bench", "serve", "--only", "streams", "--gets", "3", "memory:b");
    }

    /** Nothing there would have an effect. */
    @Test
    void refusesWhatStandsInFrontOfTheName() {
        refused("arguments before 'registry' have no effect", "bench", "--quick", "registry", "memory:b");
        refused("arguments before 'arrival' have no effect", "bench", "memory:b", "arrival");
        refused("arguments before 'serve' have no effect", "bench", "--json", "serve", "memory:b");
    }

    @Test
    void refusesNewGroups() {
        refused("'bully' starts a new group", "bench", "registry", "bully");
        refused("'peers?lease=3s' starts a new group", "bench", "arrival", "peers?lease=3s");
        refused("'ring' starts a new group", "bench", "serve", "ring");
    }
}
