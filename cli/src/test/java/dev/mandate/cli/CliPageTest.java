package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** {@code docs/cli.md} tells every option, exit code, variable and field that there is, and none that is not. */
class CliPageTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Set<String> SHARED_BY_ALL = Set.of("-h", "--help", "--debug");

    @TempDir
    private Path temp;

    private static String page() throws IOException {
        return page("docs/cli.md");
    }

    private static String page(String path) throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("verify"))) {
            root = root.getParent();
        }
        return Files.readString(root.resolve(path));
    }

    /** What stands below the heading, up to the next one. */
    private static String section(String heading) throws IOException {
        return section(page(), heading);
    }

    private static String section(String page, String heading) {
        int from = page.indexOf("\n" + heading + "\n");
        assertThat(from).as("heading '%s'", heading).isNotNegative();
        int to = page.indexOf("\n#", from + 1);
        // Without blocks of code, whose fences would pair with other marks.
        return page.substring(from, to < 0 ? page.length() : to).replaceAll("(?s)```.*?```", "");
    }

    private static Set<String> code(String text) {
        return CODE.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The first cells of a table's rows. */
    private static Set<String> firstCells(String section) {
        String cells = Pattern.compile("^\\| ([^|]*)\\|", Pattern.MULTILINE)
                .matcher(section)
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.joining());
        return code(cells);
    }

    /** By the words that call them. */
    static Set<Map.Entry<String, CommandLine>> commands() {
        Map<String, CommandLine> commands = new TreeMap<>(Main.PROGRAM.model().getSubcommands());
        Main.PROGRAM
                .model()
                .getSubcommands()
                .forEach((name, command) ->
                        command.getSubcommands().forEach((below, one) -> commands.put(name + " " + below, one)));
        return commands.entrySet();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyOptionIsToldAndEveryToldOptionExists(Map.Entry<String, CommandLine> command) throws IOException {
        Set<String> told = firstCells(section("### " + command.getKey()));
        told.removeIf(cell -> !cell.startsWith("-"));
        Set<String> existing = new TreeSet<>();
        for (OptionSpec option : command.getValue().getCommandSpec().options()) {
            for (String name : option.names()) {
                boolean isShort = !name.startsWith("--");
                existing.add(option.arity().max() == 0 || isShort ? name : name + " " + option.paramLabel());
            }
        }
        existing.removeAll(SHARED_BY_ALL);
        existing.remove("--store URL");

        assertThat(told).isEqualTo(existing);
        assertThat(firstCells(section("## Every command")))
                .contains("--store URL")
                .containsAll(SHARED_BY_ALL);
    }

    @Test
    void everyParameterOfAGroupIsTold() throws IOException {
        ElectionStoreProvider groups = ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("bully"))
                .findFirst()
                .orElseThrow();

        assertThat(firstCells(section(page("docs/stores/bully-and-ring.md"), "## URL")))
                .isEqualTo(groups.parameters().keySet());
    }

    /** The list is made without the commands, to be quick. */
    @Test
    void theListOfCommandsIsThatOfTheCommandsThemselves() {
        String help = Main.PROGRAM.model().getUsageMessage();

        assertThat(Called.with(Main.PROGRAM, Map.of(), "--help").assertDone().out())
                .isEqualTo(help);
        assertThat(Called.with(Main.PROGRAM, Map.of(), "help").assertDone().out())
                .isEqualTo(help);
        assertThat(Called.with(Main.PROGRAM, Map.of()).err()).isEqualTo(help);
    }

    @Test
    void everyExitCodeIsTold() throws Exception {
        String told = section("## Exit codes");
        for (Field code : ExitCode.class.getFields()) {
            assertThat(told).as(code.getName()).containsPattern("[| ]" + code.getInt(null) + "[ ,]");
        }
    }

    @Test
    void everyVariableIsTold() throws IOException {
        Set<String> told = firstCells(section("## Environment"));
        Set<String> mentioned = Pattern.compile("\\b(MANDATE|XDG)_[A-Z_]+[A-Z]\\b|\\bNO_COLOR\\b")
                .matcher(page() + Main.PROGRAM.model().getUsageMessage())
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        // What a command gets.
        mentioned.removeAll(Set.of(
                "MANDATE_ELECTION",
                "MANDATE_TOKEN",
                "MANDATE_CANDIDATE",
                "MANDATE_SERVICE",
                "MANDATE_INSTANCE",
                "MANDATE_ADDRESS"));

        assertThat(told).containsAll(mentioned);
    }

    @Test
    void everyFieldOfJsonIsTold() throws Exception {
        String store = "sqlite:" + temp.resolve("store.db");
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("led").campaign("value")) {
            assertThat(led.isValid()).isTrue();

            requireTold("status", "status", "--json", "--store", store);
            try (ElectionClient waiting =
                    ElectionClient.builder(store).order(Order.ARRIVAL).connect()) {
                waiting.election("led").campaignAsync("");
                Await.until(
                        "the queue",
                        PATIENCE,
                        () -> !waiting.election("led").queue().isEmpty());
                requireTold("status", "status", "led", "--json", "--store", store);
            }
            requireTold("observe", "observe", "led", "--for", "500ms", "--json", "--store", store);
            requireTold("leader", "leader", "led", "--json", "--store", store);
            requireTold("services", "services", "--json", "--store", store);
            client.registry()
                    .register("web", ServiceInstance.at("host:80").withId("one"))
                    .awaitRegistered(PATIENCE);
            requireTold("instances", "instances", "web", "--json", "--store", store);
            requireTold("instances", "instances", "web", "--watch", "--for", "500ms", "--json", "--store", store);
            requireTold("evict", "evict", "led", "--json", "--store", store);
            requireTold("explain", "explain", "--json", store + "?order=arrival");
            requireTold("doctor", "doctor", "--json", store + "?lease=60s");
        }
    }

    /** {@code register} ends by a signal alone, so it has a process. */
    @Test
    void everyFieldOfARegistrationIsTold() throws Exception {
        String store = "sqlite:" + temp.resolve("store.db");
        String[] args = {"register", "web", "--no-address", "--id", "one", "--json", "--store", store};
        try (ElectionClient client = ElectionClient.connect(store)) {
            client.registry()
                    .register("web", ServiceInstance.at("host:80").withId("one"))
                    .awaitRegistered(PATIENCE);
            try (CandidateProcess register =
                    CandidateProcess.java(Main.class, args).start()) {
                String printed = register.await("the holder", PATIENCE, line -> line.contains("\"phase\":\"taken\""));

                assertThat(fields(printed)).contains("holder");
                assertThat(code(section("### A registration in JSON"))).containsAll(fields(printed));
            }
        }
    }

    private static void requireTold(String command, String... args) throws IOException {
        String printed = Called.with(Main.PROGRAM, Map.of(), args).assertDone().out();
        Set<String> told =
                code(section("### " + command) + section("### A leader in JSON") + section("### An instance in JSON"));

        assertThat(told).containsAll(fields(printed));
    }

    /** The names of all fields but those below {@code settings}, which are the user's own. */
    private static List<String> fields(String json) throws IOException {
        List<String> names = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME) {
                    names.add(parser.currentName());
                    if (parser.currentName().equals("settings")) {
                        parser.nextToken();
                        parser.skipChildren();
                    }
                }
            }
        }
        assertThat(names).isNotEmpty();
        return names;
    }
}
