package dev.mandate.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        out.reset();
        err.reset();
        return Main.execute(
                args,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--sed 5            | option '--sed' is unknown; --help lists all",
                "--seed             | --seed needs a value; --help says which",
                "--seed five        | --seed is 'five'; it must be a whole number",
                "--schedules 0      | --schedules is 0; it must be from 1 to 1000000000",
                "--threads -1       | --threads is -1; it must be from 1 to 1024",
                "--expiry sometimes | expiry kind 'sometimes' is unknown",
                "--aim high         | aim 'high' is unknown",
                "--bug unheard-of   | there is no planted bug 'unheard-of'; --list-bugs names all",
                "--classic          | --classic needs a value; --help says which",
                "--classic paxos    | algorithm 'paxos' is unknown; there are bully and ring",
                "--classic bully --schedules 0   | --schedules is 0; it must be from 1 to 1000000000",
                "--classic ring --base now       | --base is 'now'; it must be a whole number",
                "--seed 5 --classic bully        | --classic takes only --schedules and --base; leave out --seed",
                "--groups --aim stuck --expiry judges-record | --groups has one kind of worlds; leave out --aim and --expiry",
                "--groups --classic ring | --classic takes only --schedules and --base; leave out --groups",
                "--groups --schedules many | --schedules is 'many'; it must be a whole number",
                "--aim groups --expiry removes-record | --expiry is removes-record; with --aim groups it can only be judges-record",
                "--classic ring --seed 5 --aim stuck | --classic takes only --schedules and --base; leave out --aim and --seed",
            })
    void badInputIsOneSentenceAndExitCode2(String arguments, String sentence) {
        assertThat(run(arguments.split(" "))).isEqualTo(Main.BAD_INPUT);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("simulator: " + sentence)
                .hasLineCount(1);
        assertThat(said()).isEmpty();
    }

    @Test
    void helpNamesEveryOption() {
        assertThat(run("--help")).isEqualTo(Main.FINE);

        assertThat(said())
                .contains("--seed", "--schedules", "--expiry", "--aim", "--base", "--threads", "--lines")
                .contains("--coverage", "--bug", "--list-bugs", "--classic", "--groups");
    }

    @ParameterizedTest
    @CsvSource({"bully, COORDINATOR", "ring, passes on"})
    void aClassicElectionIsToldWithItsRates(String algorithm, String words) {
        assertThat(run("--classic", algorithm, "--schedules", "3", "--base", "7"))
                .isEqualTo(Main.FINE);

        assertThat(said())
                .contains("Classic " + algorithm, words, "TWO LEADERS AT ONCE", "Learn: ")
                .contains("3 for each line, with seeds from 7 on", "With Mandate's register: none");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Tag("long")
    @Test
    void aBatchTellsItsSpeedAndCoverage() {
        assertThat(run("--schedules", "20", "--base", "1", "--coverage")).isEqualTo(Main.FINE);

        assertThat(said())
                .contains("20 schedules from seed 1 on", "schedules per cpu second", "READ_ANSWERED", "take-overs");
    }

    @Tag("long")
    @Test
    void aViolationIsShownWithAllThatIsNeededToSeeItAgain() {
        assertThat(run("--aim", "clock-beyond", "--schedules", "500", "--base", "1"))
                .isEqualTo(Main.BROKEN);
        String report = said().lines().skip(1).reduce("", (a, b) -> a + b + "\n");

        assertThat(report)
                .contains("aim clock-beyond", "clock rate", "nemesis", "the last 50 steps", "broken: BELIEF")
                .contains("hash of the trace");
        assertThat(report.lines().filter(l -> l.matches(" +\\d+\\.\\d{6}  .*"))).hasSizeBetween(10, 50);
        String command = report.lines().reduce((a, b) -> b).orElseThrow();
        assertThat(command).startsWith("again: java -jar simulator/target/simulator.jar --seed ");
        String[] words = command.split(" ");
        assertThat(run(Arrays.copyOfRange(words, 4, words.length))).isEqualTo(Main.BROKEN);
        assertThat(said()).isEqualToNormalizingNewlines(report);
    }

    @Test
    void worldsOfGroupsAreRunAndToldStepByStep() {
        assertThat(run("--groups", "--schedules", "20", "--base", "1", "--coverage"))
                .isEqualTo(Main.FINE);
        assertThat(said()).contains("20 schedules from seed 1 on", "schedules per cpu second", "SPLIT_IN_TWO");

        assertThat(run("--groups", "--seed", "5", "--lines", "30")).isEqualTo(Main.FINE);

        assertThat(said())
                .contains("seed 5", "aim groups", "voters", "the last 30 steps", "nothing was broken")
                .contains("again: java -jar simulator/target/simulator.jar --seed 5 --groups --lines 30");
        assertThat(said().lines().filter(line -> line.matches(" +\\d+\\.\\d{6}  .*")))
                .hasSize(30);
    }

    @Test
    void aPlantedBugIsFoundAndShown() {
        assertThat(run("--list-bugs")).isEqualTo(Main.FINE);
        String name = said().lines().findFirst().orElseThrow().split(" ")[0];

        assertThat(run("--bug", name)).isEqualTo(Main.FINE);
        String seed = said().replaceAll("(?s).*--seed (\\S+) --expiry (\\S+)\\s*", "$1 $2");

        assertThat(run("--bug", name, "--seed", seed.split(" ")[0], "--expiry", seed.split(" ")[1]))
                .isEqualTo(Main.BROKEN);
    }
}
