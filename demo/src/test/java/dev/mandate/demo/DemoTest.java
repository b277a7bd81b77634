package dev.mandate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo as users run it, with real processes. */
@Tag("long")
@Order(1)
class DemoTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern ELECTION = Pattern.compile("mandate-demo-[0-9a-f]{16}");
    private static final Pattern SCRATCH = Pattern.compile("store sqlite:(\\S+demo\\.db)");
    private static final Pattern HAND_OVER = Pattern.compile("led with token (\\d+) and .*leads with token (\\d+)");

    @Test
    void shows_three_take_overs_and_leaves_nothing_behind() {
        try (CandidateProcess demo = demo()) {
            String election = election(demo);
            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();

            assertThat(demo.lines())
                    .anyMatch(line -> line.contains("is killed (SIGKILL)"))
                    .anyMatch(line -> line.contains("is frozen (SIGSTOP)"))
                    .anyMatch(line -> line.contains("its first isValid() is false"))
                    .anyMatch(line -> line.contains("is asked to resign"));
            assertThat(risingTokens(demo.lines()))
                    .as("hand-overs with rising tokens")
                    .isEqualTo(3);
            assertThat(processesOf(election)).isEmpty();
            assertThat(scratch(demo)).as("the store's folder").doesNotExist();
        }
    }

    @Test
    void shows_take_overs_on_a_page_to_whoever_opens_it() throws Exception {
        try (CandidateProcess demo = CandidateProcess.java(Main.class, "demo", "--page", "--lease", "2s")
                .start()) {
            String said = demo.await("the page", PATIENCE, line -> line.startsWith("The page: http://127.0.0.1:"));
            URI page = URI.create(said.replaceAll("The page: (\\S+) .*", "$1"));
            assertThat(page.toURL().openStream().readAllBytes()).isNotEmpty();

            int takeOvers = 0;
            try (BufferedReader events = new BufferedReader(
                    new InputStreamReader(page.resolve("v1/events").toURL().openStream(), StandardCharsets.UTF_8))) {
                while (takeOvers < 4) {
                    String line = events.readLine();
                    assertThat(line)
                            .as("the stream ended early; the demo said %s", demo.log())
                            .isNotNull();
                    takeOvers += line.equals("event: takeOver") ? 1 : 0;
                }
                demo.await("the page to stay", PATIENCE, line -> line.startsWith("The page stays"));
                assertThat(demo.isAlive()).isTrue();
            }

            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bully", "ring"})
    void a_group_of_its_own_needs_no_store(String scheme) {
        String[] arguments = {"demo", "--workers", "3", "--lease", "2s", "--store", scheme};
        try (CandidateProcess demo =
                CandidateProcess.java(Main.class, arguments).start()) {
            String election = election(demo);
            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();

            assertThat(demo.lines())
                    .anyMatch(line -> line.contains("2 of 3 are a majority"))
                    .anyMatch(line ->
                            line.matches(".*worker-[123] is started again; for 2 s it follows and does not vote.*"))
                    .anyMatch(line -> line.matches(".*worker-[123] votes again"));
            assertThat(risingTokens(demo.lines()))
                    .as("hand-overs with rising tokens")
                    .isEqualTo(3);
            assertThat(processesOf(election)).isEmpty();
        }
    }

    @Test
    void watches_who_leads_and_touches_nobody() {
        String[] arguments = {"demo", "--workers", "2", "--lease", "2s", "--election", "mine", "--watch", "8s"};
        try (CandidateProcess demo = CandidateProcess.java(Main.class, arguments)
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .start()) {
            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();
            assertThat(demo.lines())
                    .anyMatch(line -> line.contains("the election mine"))
                    .anyMatch(line -> line.matches(".*worker-[12] leads, token .*"))
                    .noneMatch(line -> line.contains("SIG"));
        }
        requireRefused("leave out --json", "demo", "--watch", "1s", "--json");
    }

    @Test
    void a_worker_that_somebody_kills_is_said_to_be_gone() {
        String[] arguments = {"demo", "--workers", "2", "--lease", "2s", "--election", "theirs", "--watch", "1h"};
        try (CandidateProcess demo = CandidateProcess.java(Main.class, arguments)
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .start()) {
            String leads = demo.await("a leader", PATIENCE, line -> line.contains(" leads, token "));
            String leader = leads.replaceAll(".*(worker-[12]) leads, token .*", "$1");
            ProcessHandle.allProcesses()
                    .filter(process -> commandLine(process).contains("theirs\0" + leader + "\0"))
                    .forEach(ProcessHandle::destroyForcibly);

            demo.await("the news", PATIENCE, line -> line.contains(leader + " has ended, exit code 137"));
            demo.await("the other", PATIENCE, line -> line.contains(" leads, token ") && !line.contains(leader));
        }
    }

    @Test
    void no_worker_outlives_a_killed_demo_not_even_a_frozen_one() {
        try (CandidateProcess demo = demo()) {
            String election = election(demo);
            demo.await("the leader to be frozen", PATIENCE, line -> line.contains("is frozen (SIGSTOP)"));
            assertThat(processesOf(election)).isNotEmpty();

            // The demo alone: closing a candidate process would kill its whole group.
            ProcessHandle.of(demo.pid()).orElseThrow().destroyForcibly();

            Await.until(
                    "all workers to end", PATIENCE, () -> processesOf(election).isEmpty());
        }
    }

    @Test
    void refuses_numbers_out_of_bounds_and_stores_of_one_process() {
        requireRefused("--workers is 1; give 2 to 20", "demo", "--workers", "1");
        requireRefused("--workers is 21; give 2 to 20", "demo", "--workers", "21");
        requireRefused("in one process alone", "demo", "--store", "memory:x");
        requireRefused("--workers is 2; give 3 to 20 with --store bully", "demo", "--workers", "2", "--store", "bully");
        String member = "ring://127.0.0.1:1?self=127.0.0.1:1&state=/nowhere";
        requireRefused("leave out self and state", "demo", "--store", member);
    }

    private static void requireRefused(String sentence, String... arguments) {
        try (CandidateProcess demo =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(demo.awaitExit(PATIENCE)).isEqualTo(2);
            Await.until(
                    "'" + sentence + "'",
                    PATIENCE,
                    () -> demo.log().stream().anyMatch(line -> line.contains(sentence)));
        }
    }

    private CandidateProcess demo() {
        return CandidateProcess.java(Main.class, "demo", "--workers", "3", "--lease", "2s")
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .start();
    }

    private static String election(CandidateProcess demo) {
        Matcher line = ELECTION.matcher(demo.await(
                "the election's name", PATIENCE, l -> ELECTION.matcher(l).find()));
        assertThat(line.find()).isTrue();
        return line.group();
    }

    private static Path scratch(CandidateProcess demo) {
        Matcher line = SCRATCH.matcher(String.join("\n", demo.lines()));
        assertThat(line.find()).isTrue();
        return Path.of(line.group(1)).getParent();
    }

    private static long risingTokens(List<String> lines) {
        return lines.stream()
                .map(HAND_OVER::matcher)
                .filter(Matcher::find)
                .filter(m -> Long.parseLong(m.group(2)) > Long.parseLong(m.group(1)))
                .count();
    }

    private static List<String> processesOf(String election) {
        return ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .map(DemoTest::commandLine)
                .filter(line -> line.contains(election))
                .toList();
    }

    /** Whole: a process handle knows the first few kilobytes only, and the class path is longer. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException e) {
            // It has ended.
            return "";
        }
    }
}
