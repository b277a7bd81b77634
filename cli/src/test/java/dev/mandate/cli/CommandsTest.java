package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bad input, as it is given on the command line: one clear sentence, an exit code that says whose turn it is, no trace,
 * nothing lost.
 *
 * <p>What needs a process of its own is in {@link CommandsProcessTest}, what needs a server in
 * {@link PostgresCommandsServerIT}. What the store or the library says is tested in full where it is said:
 * {@code UrlTest}, {@code SqliteBadInputTest} and {@code PostgresBadInputServerIT} of the SQL stores,
 * {@code StoreUrlTest}, {@code RecordKeyTest}, {@code ClientBuilderTest}, {@code CampaignTest} and {@code LeaderTest}
 * of the core.
 */
class CommandsTest {
    private static final String FOLDER = "FOLDER";

    @TempDir
    private Path temp;

    private Map<String, String> environment = Map.of();

    @BeforeEach
    void environment() throws IOException {
        environment = Map.of("XDG_DATA_HOME", temp.resolve("data").toString(), "PATH", System.getenv("PATH"));
        Files.writeString(temp.resolve("letter.txt"), "Dear reader, this is a letter.\n");
        Files.createDirectory(temp.resolve("folder"));
    }

    private Called call(String... args) {
        return Called.with(Main.PROGRAM, environment, args);
    }

    /** Rows of: what is given, where {@code FOLDER} is a folder of the test; exit code; words of the sentence. */
    static Stream<Arguments> refusals() {
        return Stream.of(
                // commands and options
                row("staus", 2, "'staus'", "run, register, observe, leader, status, services, instances"),
                row("status --limt 3", 2, "'--limt'", "did you mean --limit?", "status --help"),
                row("status --limit 0", 2, "--limit is 0", "1 or more"),
                row("status --limit x", 2, "'--limit'", "'x'", "whole number"),
                row("status a b", 2, "one argument too many", "'b'"),
                row("leader", 2, "'NAME'", "leader --help"),
                row("leader a b", 2, "one argument too many", "'b'"),
                row("leader a --wait soon", 2, "'--wait'", "'soon'"),
                row("leader a --wait 9000h", 2, "'--wait'", "'9000h'", "365 days"),
                row("leader a --store memory:x", 2, "memory:x", "one process alone"),
                row("observe", 2, "'NAME'", "observe --help"),
                row("evict --json", 2, "'NAME'"),
                row("run", 125, "'--election=NAME'", "COMMAND", "run --help"),
                row("run true", 125, "'--election=NAME'", "run --help"),
                row("run --election a", 125, "'COMMAND'", "run --help"),
                row("run --election a --wait 1s --no-wait true", 125, "--wait and --no-wait", "one of them"),
                row("run --election a --wait soon true", 125, "'--wait'", "'soon'"),
                row("run --election", 125, "'--election'"),
                row(
                        "run --electoin a true",
                        125,
                        "unknown option: '--electoin'",
                        "did you mean --election?",
                        "run --help"),
                row("run --leese 3s true", 125, "unknown option", "'--leese'"),
                row("register --adress a:1 web", 125, "unknown option: '--adress'", "did you mean --address?"),
                row("evict --forse", 2, "unknown option: '--forse'", "did you mean --force?"),
                row("register", 125, "'SERVICE'", "register --help"),
                row("register web", 125, "--address is missing", "--no-address if nobody calls it"),
                row("register web -- true", 125, "--address is missing", "--no-address"),
                row("register web --address=", 125, "--address is empty", "--no-address"),
                row("register web --address a:1 --no-address", 125, "--address and --no-address", "one of them"),
                row(
                        "register web --address a:1 --metadata m=" + "x".repeat(1_000),
                        125,
                        "--address and --metadata take 10",
                        "the limit is 1000",
                        "shorten them"),
                row("register web --no-address --metadata zone", 125, "--metadata is 'zone'", "NAME=VALUE"),
                row("register web --no-address --metadata =a", 125, "--metadata is '=a'", "NAME=VALUE"),
                row("register web --no-address --metadata a=1 --metadata a=2", 125, "'a' twice", "once"),
                row("register web --status well", 125, "'--status'", "'well' is not a status", "STARTING, UP, DOWN"),
                row("register web --no-address --id=", 125, "the id is empty", "512"),
                row("register web --no-address --every 1s --timeout 2s", 125, "--timeout", "without --check"),
                row("register web --no-address --check true --every 0s", 125, "--every is 0 s", "more"),
                row("register web --no-address --check true --timeout 0s", 125, "--timeout is 0 s", "more"),
                row("register web --no-address --json -- true", 125, "--json", "standard output"),
                row("register web true", 125, "not clear where the command begins", "write --"),
                row("register web true -- false", 125, "not clear where the command begins", "write --"),
                row("register web --no-address -- no-such-command", 127, "'no-such-command'", "on the PATH"),
                row("register web --no-address -- FOLDER/letter.txt", 126, "'FOLDER/letter.txt'", "chmod +x"),
                row("register --store memory:x web --no-address", 125, "memory:x", "one process alone"),
                row("register sqlite:///x.db", 125, "the name of the service is 'sqlite:///x.db'", "--store"),
                row("services web", 2, "one argument too many", "'web'"),
                row("services --store memory:x", 2, "memory:x", "one process alone"),
                row("services --store sqlite:FOLDER/none.db", 4, "none.db", "does not exist"),
                row("instances", 2, "'SERVICE'", "instances --help"),
                row("instances web --watch --verify", 2, "--watch and --verify", "both given"),
                row("instances web --for 1s", 2, "--for", "without --watch"),
                row("instances web --watch --for soon", 2, "'--for'", "'soon'"),
                row("instances web --store sqlite:FOLDER/none.db", 4, "none.db", "does not exist"),
                row("bench --runs 0", 2, "--runs is 0", "1 to 1000"),
                row("bench --held 0", 2, "--held is 0", "1 to 100000"),
                row("bench --held many", 2, "'--held'", "'many'"),
                row("bench --during 500ms", 2, "--during is 500 ms", "1s to 24h"),
                row("bench --only loss --held 5", 2, "'idle'", "'loss'", "--only idle"),
                row("demo --workers 21", 2, "--workers is 21", "2 to 20"),
                // URLs of stores
                row("explain foo:bar", 2, "'foo:'", "etcd, etcds, jdbc, memory, ", "postgres, postgresql, ", "sqlite"),
                row("explain sqlit:/x", 2, "'sqlit:'", "did you mean 'sqlite'?"),
                row("explain bully://host", 2, "'host' without a port", "host:7401"),
                row("explain /var/lib/x.db", 2, "no scheme", "sqlite:/var/lib/mandate.db"),
                row("status --store FOLDER/x.db", 2, "no scheme"),
                row("explain sqlite:", 2, "names no file"),
                row("explain sqlite://host/x.db", 2, "names a host"),
                row("explain postgresql://host", 2, "names no database"),
                row("explain postgresql://host:70000/db", 2, "'host:70000'", "65535"),
                row("explain sqlite:FOLDER/x.db?lease", 2, "name=value"),
                row("explain sqlite:FOLDER/x.db?lease=3s&lease=4s", 2, "'lease' twice"),
                row("explain sqlite:FOLDER/x.db?lease=%zz", 2, "write % as %25"),
                row("explain sqlite:FOLDER/x.db?leese=3s", 2, "'leese'", "did you mean 'lease'?"),
                row(
                        "explain sqlite:FOLDER/x.db?xxxxxxxx=3s",
                        2,
                        "'xxxxxxxx'",
                        "knows caFile, candidate, certFile, connectTimeout",
                        "lease"),
                row("explain sqlite:FOLDER/x.db?sslmode=require", 2, "'sslmode'", "is for PostgreSQL"),
                row("run --election e --store memory:x true", 125, "memory:x", "one process alone", "--store"),
                row("observe --store memory:x a", 2, "memory:x", "one process alone"),
                row(
                        "observe a b --store etcd://127.0.0.1:1?key=MyApp/leader",
                        2,
                        "'MyApp/leader'",
                        "one",
                        "{election}"),
                // durations and settings
                row("run --election e --lease 5 true", 125, "'--lease'", "'5'", "500ms, 10s, 2m or 1h"),
                row("observe a --for 9000h", 2, "'--for'", "'9000h'", "365 days"),
                row("observe a --for 1.5s", 2, "'1.5s'", "500ms, 10s, 2m or 1h"),
                row("explain sqlite:FOLDER/x.db?lease=3", 2, "lease is '3'", "500ms, 10s, 2m or 1h"),
                row("doctor --create sqlite:FOLDER/x.db?lease=100ms", 2, "lease is 100ms", "no less than 1s"),
                row("run --election e --lease 100ms true", 125, "lease is 100ms", "no less than 1s"),
                row("explain sqlite:FOLDER/x.db?lease=3s&drainTimeout=3s", 2, "drainTimeout 3 s", "lease of 3 s"),
                row(
                        "explain sqlite:FOLDER/x.db?lease=60s&renewInterval=50s",
                        2,
                        "renewInterval 50 s",
                        "lease 60 s",
                        "43.945454 s",
                        "lengthen the lease"),
                row("explain sqlite:FOLDER/x.db?maxClockRatio=3", 2, "maxClockRatio is 3.0", "between 1.0 and 2.0"),
                row("run --election e --candidate= true", 125, "candidate is empty", "512"),
                // files
                row("status --store sqlite:FOLDER/none/x.db", 4, "FOLDER/none", "does not exist; create it"),
                row("status --store sqlite:FOLDER/folder", 4, "FOLDER/folder", "is a directory; name a file in it"),
                row("status --store sqlite:FOLDER/letter.txt", 4, "FOLDER/letter.txt", "not an SQLite database"),
                row(
                        "run --election e --store sqlite:FOLDER/letter.txt true",
                        125,
                        "not an SQLite database; name another one"),
                row("status --store sqlite:FOLDER/none.db?create=false", 4, "none.db", "does not exist"),
                // what is to be run
                row("run --election e no-such-command", 127, "'no-such-command'", "on the PATH"),
                row("run --election e FOLDER/none", 127, "'FOLDER/none'", "check the path"),
                row("run --election e FOLDER/letter.txt", 126, "'FOLDER/letter.txt'", "chmod +x"),
                row("run --election e FOLDER/folder", 126, "'FOLDER/folder'", "is a folder"),
                // one word for another
                row("status sqlite:///x.db", 2, "the prefix is 'sqlite:///x.db'", "--store"),
                row("run --election postgresql://host/db true", 125, "the URL of a store", "--store"));
    }

    private static Arguments row(String line, int code, String... words) {
        return arguments(line, code, List.of(words));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void isRefusedInOneSentence(String line, int code, List<String> words) throws IOException {
        String[] args = Stream.of(line.split(" ")).map(this::inFolder).toArray(String[]::new);

        Called called = call(args);

        called.assertRefused(code, words.stream().map(this::inFolder).toArray(String[]::new));
        assertThat(temp.resolve("letter.txt")).hasContent("Dear reader, this is a letter.\n");
    }

    private String inFolder(String text) {
        return text.replace(FOLDER, temp.toString());
    }

    /** Rows of: a name that is none, and words of the sentence. */
    static Stream<Arguments> namesThatAreNone() {
        return Stream.of(
                arguments("", List.of("is empty", "512 bytes")),
                arguments("x".repeat(1 << 20), List.of("1048576 characters", "512 bytes")),
                arguments("ü".repeat(257), List.of("257 characters", "512 bytes")),
                arguments("a\u001b[2Jb", List.of("U+001B", "position 1", "leave it out")),
                arguments("a\u0000", List.of("U+0000", "position 1")),
                arguments("a\ud800b", List.of("U+D800", "position 1", "UTF-8")),
                arguments("a\udcff", List.of("not UTF-8", "byte 0xFF", "position 1")));
    }

    @ParameterizedTest
    @MethodSource("namesThatAreNone")
    void aNameThatIsNoneIsRefusedByEveryCommand(String name, List<String> says) {
        String[] words = says.toArray(String[]::new);

        call("run", "--election", name, "true").assertRefused(125, words);
        call("observe", name).assertRefused(2, words);
        call("leader", name).assertRefused(2, words);
        call("evict", name).assertRefused(2, words);
        call("register", name, "--no-address").assertRefused(125, words);
        call("register", "web", "--no-address", "--id", name).assertRefused(125, words);
        call("instances", name).assertRefused(2, words);
        if (!name.isEmpty()) {
            call("status", name).assertRefused(2, words);
        } else {
            call("status", "--exact", name).assertRefused(2, "--exact", "name");
        }
        assertThat(temp.resolve("data")).as("the store is not even made").doesNotExist();
    }

    /** What a file or a URL would take for the same stays apart, and comes back as it was given. */
    @Test
    void namesThatOtherEncodingsConfuseStayApart() throws Exception {
        List<String> names = List.of("a%2Fb", "a/b", "a b", "a%20b", ".", "..", "A", "a", "größe");
        try (ElectionClient client = ElectionClient.connect("sqlite:" + temp.resolve("names.db"))) {
            List<Leadership> led = new ArrayList<>();
            for (String name : names) {
                led.add(client.election(name).campaign("value of " + name));
            }

            Called status = call("status", "--store", "sqlite:" + temp.resolve("names.db"))
                    .assertDone();

            assertThat(status.out().lines().skip(1)).hasSameSizeAs(names);
            for (String name : names) {
                assertThat(status.out().lines())
                        .anyMatch(line -> line.startsWith(name + "  ") && line.endsWith("  value of " + name));
                assertThat(call("status", "--exact", name, "--store", "sqlite:" + temp.resolve("names.db"))
                                .assertDone()
                                .out()
                                .lines()
                                .skip(1))
                        .singleElement()
                        .asString()
                        .startsWith(name + "  ");
            }
            assertThat(call("status", "--exact", "a%", "--store", "sqlite:" + temp.resolve("names.db"))
                            .assertDone()
                            .err())
                    .contains("nobody leads 'a%' in");
            led.forEach(Leadership::close);
        }
    }

    /** Neither on a terminal nor in a file does a value of somebody else command anything. */
    @Test
    void whatATerminalWouldObeyIsShownHarmless() throws Exception {
        String nasty = "\u001b]0;title\u0007\u001b[2J\r\n\u009b31m\u202egnp";
        String store = "sqlite:" + temp.resolve("values.db");
        try (ElectionClient client =
                        ElectionClient.builder(store).candidate("me\u2028you").connect();
                Leadership led = client.election("nasty").campaign(nasty)) {
            assertThat(led.isValid()).isTrue();

            String all = call("status", "--store", store).assertDone().out()
                    + call("status", "--json", "--store", store).assertDone().out()
                    + call("observe", "nasty", "--for", "300ms", "--store", store)
                            .assertDone()
                            .out()
                    + call("observe", "nasty", "--for", "300ms", "--json", "--store", store)
                            .assertDone()
                            .out()
                    + call("leader", "nasty", "--store", store).assertDone().out()
                    + call("leader", "nasty", "--json", "--store", store)
                            .assertDone()
                            .out()
                    + call("evict", "nasty", "--store", store).assertDone().out();

            assertThat(all).contains("\\u001b]0;title", "\\u202egnp", "me\\u2028you");
            assertThat(all.codePoints())
                    .as("%s", all)
                    .allMatch(c -> c == '\n' || Character.getType(c) != Character.CONTROL)
                    .noneMatch(c -> Character.getType(c) == Character.FORMAT
                            || Character.getType(c) == Character.LINE_SEPARATOR);
        }
    }

    @Test
    void aStoreThatNeverAnsweredIsUnknown() {
        String nobody = "etcd://127.0.0.1:1?connectTimeout=0s";
        assertThat(call("observe", "a", "--for", "300ms", "--store", nobody)
                        .assertDone()
                        .out()
                        .lines())
                .singleElement()
                .asString()
                .contains("  a  ", "unknown", "no answer from the store");
        assertThat(call("observe", "a", "--for", "300ms", "--json", "--store", nobody)
                        .assertDone()
                        .out())
                .contains("\"event\":\"unknown\"");
    }

    @Test
    void aLongValueDoesNotWidenTheTable() throws Exception {
        String store = "sqlite:" + temp.resolve("long.db");
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("long").campaign("😀".repeat(10_000))) {
            assertThat(led.isValid()).isTrue();

            assertThat(call("status", "--store", store).assertDone().out())
                    .endsWith("😀…\n")
                    .hasSizeLessThan(1_000);
            assertThat(call("status", "--json", "--store", store).assertDone().out())
                    .hasSizeGreaterThan(10_000 * 12);
        }
    }

    @Test
    void evictSaysByItsExitCodeWhatItMet() throws Exception {
        String store = "sqlite:" + temp.resolve("evict.db");
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("led").campaign("")) {
            assertThat(call("evict", "nobody", "--store", store).code()).isEqualTo(10);
            assertThat(call("evict", "led", "--force", "--store", store)
                            .assertDone()
                            .out())
                    .contains(
                            "token " + led.fencingToken(),
                            "may go on leading beside a new leader for at most 1 min 1 s");
        }
    }

    @Test
    void explainCountsTheWaitOfAnOrder() {
        String store = "sqlite:" + temp.resolve("settings.db");
        ElectionClient.connect(store).close();
        Called race = call("explain", store).assertDone();
        Called arrival = call("explain", store + "?order=arrival").assertDone();

        assertThat(race.out()).contains("Take-over:  at most 13.20 s ", "Recovery:   at most 17.60 s ");
        assertThat(arrival.out())
                .contains("Take-over:  at most 14.80 s ", "Recovery:   at most 19.20 s ")
                .contains(
                        "Order:      the candidate that has waited longest tries first; others wait at most 1.60 s, ");
        assertThat(call("explain", "--json", store).assertDone().out()).doesNotContain("turnAtMostSeconds");
        assertThat(call("explain", "--json", store + "?order=arrival")
                        .assertDone()
                        .out())
                .contains("\"triesFirst\":\"the candidate that has waited longest\",\"turnAtMostSeconds\":1.6")
                .contains("\"failoverAtMostSeconds\":14.79", "\"order\":\"arrival\"");
    }

    /** What {@code explain} gives programs as settings in force may be copied into a URL. */
    @Test
    void settingsThatAreGivenToProgramsCanBeGiven() throws IOException {
        String store = "sqlite:" + temp.resolve("settings.db");
        ElectionClient.connect(store).close();
        Map<String, String> shown = settings(store + "?lease=7s&candidate=me");

        String url = shown.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining("&", store + "?", ""));

        assertThat(url).contains("lease=7s", "candidate=me", "requestTimeout=466666us");
        assertThat(settings(url)).isEqualTo(shown);
    }

    private Map<String, String> settings(String url) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        try (JsonParser json = new JsonFactory()
                .createParser(call("explain", "--json", url).assertDone().out())) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.VALUE_STRING
                        && json.getParsingContext().getParent().hasCurrentName()
                        && json.getParsingContext().getParent().getCurrentName().equals("settings")) {
                    settings.put(json.currentName(), json.getText());
                }
            }
        }
        return settings;
    }

    /** People get units that they read at a glance. */
    @Test
    void settingsAreShownInUnitsThatPeopleRead() {
        String store = "sqlite:" + temp.resolve("settings.db");
        ElectionClient.connect(store).close();

        List<String> shown = call("explain", "--settings", store + "?candidate=12s")
                .assertDone()
                .out()
                .lines()
                .filter(line -> line.matches("[A-Za-z]+ {2,}.*"))
                .toList();

        assertThat(shown)
                .startsWith(
                        "lease                10 s",
                        "drainTimeout         1.67 s",
                        "requestTimeout       667 ms",
                        "candidate            12s")
                .contains("maxClockRatio        1.1")
                .anyMatch(line ->
                        line.matches("settleTime +the longer of the lease and that of the other program's record"))
                .noneMatch(line -> line.matches(".*[0-9](us|ms|s|m|h)$") && !line.startsWith("candidate"));
    }

    @Test
    void helpIsToldForEveryCommandInEveryWay() {
        for (String command :
                List.of("run", "observe", "leader", "status", "evict", "explain", "doctor", "demo", "bench")) {
            String help = call(command, "--help").assertDone().out();

            assertThat(help).contains("Usage: mandate " + command, "Exit code:");
            assertThat(help.lines()).allMatch(line -> line.length() <= 100);
            assertThat(call("help", command).assertDone().out()).isEqualTo(help);
            assertThat(call(command, "-h").assertDone().out()).isEqualTo(help);
        }
        for (String below : List.of("registry", "arrival")) {
            String help = call("bench", below, "--help").assertDone().out();

            assertThat(help).contains("Usage: mandate bench " + below, "Exit code:");
            assertThat(help.lines()).allMatch(line -> line.length() <= 100);
        }
        assertThat(call("help").assertDone().out())
                .isEqualTo(call("--help").assertDone().out());
        assertThat(call().code()).isEqualTo(2);
        assertThat(call("--version").assertDone().out()).startsWith("mandate ");
    }

    @Test
    void whatIsSaidWithoutATerminalHasNoColours() {
        assertThat(call("status").err() + call("help").out()).doesNotContain("\u001b");
    }
}
