package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.console.Called;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerFixture;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on a real PostgreSQL: where a password may be, and where it never is. */
class PostgresCommandsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** What is looked for everywhere. */
    private static final String CANARY = "Canary7yrucse";

    private static EmbeddedPostgres server;

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();

    @BeforeAll
    static void startServer() throws Exception {
        ServerFixture fixture = ServerFixture.named("postgresql");
        try {
            server = EmbeddedPostgres.builder().start();
        } catch (IOException | RuntimeException e) {
            throw fixture.missing("its binaries can't be started: " + e);
        }
        fixture.found(query("SHOW server_version"));
        // This user has to know the password.
        Path rules = Path.of(query("SHOW hba_file"));
        Files.writeString(rules, "host all guest all scram-sha-256\n" + Files.readString(rules));
        execute("CREATE ROLE guest LOGIN PASSWORD '" + CANARY + "'", "CREATE ROLE nobody LOGIN");
        execute("SELECT pg_reload_conf()");
        Await.until("the server to ask for passwords", PATIENCE, () -> {
            try (Connection open = connect("guest")) {
                return open == null;
            } catch (SQLException e) {
                return true;
            }
        });
    }

    @AfterAll
    static void stopServer() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void emptySchema() throws SQLException {
        execute(
                "DROP SCHEMA IF EXISTS cli CASCADE",
                "CREATE SCHEMA cli",
                "GRANT USAGE, CREATE ON SCHEMA cli TO guest",
                "GRANT USAGE ON SCHEMA cli TO nobody");
    }

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
    }

    private static Connection connect(String user) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + server.getPort() + "/postgres?user=" + user);
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            StringBuilder all = new StringBuilder();
            while (rows.next()) {
                all.append(rows.getString(1));
            }
            return all.toString();
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String url(String user) {
        return "postgresql://" + user + "@localhost:" + server.getPort() + "/postgres?schema=cli";
    }

    @Test
    void aTakeOverOnPostgresShows() throws Exception {
        ServedTakeOver.watch(
                url("postgres") + "&lease=3s",
                Duration.ofSeconds(3),
                () -> execute("ALTER TABLE cli.mandate_election RENAME TO gone"),
                () -> execute("ALTER TABLE cli.gone RENAME TO mandate_election"));
    }

    @Test
    void allCommandsWorkOnPostgres() {
        String store = url("postgres");
        CandidateProcess run = start(CandidateProcess.java(
                Main.class,
                "run",
                "--election",
                "default",
                "--store",
                store,
                "--lease",
                "2s",
                "--value",
                "here",
                "sh",
                "-c",
                "echo up; exec sleep 600"));
        run.await("its command", PATIENCE, "up"::equals);

        assertThat(call(Map.of(), "status", "--store", store).out()).contains("default ", "unverified  here");
        assertThat(call(Map.of(), "status", "--verify", "--store", store).out()).contains("live  ");
        assertThat(call(Map.of(), "observe", "default", "--for", "300ms", "--store", store)
                        .out())
                .contains("default  led by ");
        assertThat(call(Map.of(), "explain", store).out()).contains("guarantee FENCED");
        run.kill();
        assertThat(call(Map.of(), "status", "--verify", "--store", store).out()).contains("dead  ");
        assertThat(call(Map.of(), "evict", "default", "--force", "--store", store)
                        .out())
                .startsWith("freed 'default'");
    }

    @Test
    void whoLooksMakesNoTables() throws SQLException {
        execute("CREATE SCHEMA looked");
        String store = url("postgres").replace("schema=cli", "schema=looked");

        for (String line :
                List.of("status", "explain", "observe a --for 1s", "leader a", "evict a", "evict a --force")) {
            Called looked = Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", store), line.split(" "));
            assertThat(looked.code()).as(looked.err()).isEqualTo(4);
            assertThat(looked.err()).contains("its tables are missing", "CREATE TABLE");
        }
        assertThat(Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", store), "doctor")
                        .code())
                .isEqualTo(2);

        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet tables = statement.executeQuery("SELECT * FROM pg_tables WHERE schemaname = 'looked'")) {
            assertThat(tables.next()).as("whether there is a table").isFalse();
        }
    }

    private static Called call(Map<String, String> environment, String... args) {
        return Called.with(Main.PROGRAM, environment, args).assertDone();
    }

    @Test
    void missingTablesWithoutTheRightToMakeThemArePrintedToBeCopied() throws SQLException {
        Called refused =
                Called.with(Main.PROGRAM, Map.of(), "run", "--election", "a", "--store", url("nobody"), "true");

        assertThat(refused.code()).isEqualTo(125);
        List<String> lines = refused.err().lines().toList();
        Called.assertOneSentence(lines.subList(0, 1), "permission denied for schema cli", "GRANT it", "with:");
        String statements = String.join("\n", lines.subList(1, lines.size()));
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = cli");
            statement.execute(statements);
        }
        Called.with(Main.PROGRAM, Map.of(), "status", "--store", url("nobody"))
                .assertRefused(4, "lacks rights", "GRANT them");
        execute("GRANT ALL ON ALL TABLES IN SCHEMA cli TO nobody");
        call(Map.of(), "status", "--store", url("nobody"));
    }

    @Test
    void whatIsWrongWithTheServerIsSaidInOneSentence() {
        String wrong = url("guest:" + CANARY + "x");
        String elsewhere = url("postgres").replace("/postgres?", "/nowhere?");

        Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", wrong), "status")
                .assertRefused(4, "localhost:" + server.getPort(), "refuses this user or password");
        Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", wrong), "run", "--election", "default", "true")
                .assertRefused(125, "refuses this user or password");
        Called.with(Main.PROGRAM, Map.of(), "status", "--store", elsewhere)
                .assertRefused(4, "\"nowhere\" does not exist");
    }

    private CandidateProcess start(CandidateProcess.Builder builder) {
        CandidateProcess process = builder.start();
        started.add(process);
        return process;
    }

    /** As talkative as possible: our own log at its finest, and that of the driver. */
    private CandidateProcess loud(Map<String, String> environment, String... args) throws IOException {
        Path config = temp.resolve("logging.properties");
        Files.writeString(config, """
                handlers=java.util.logging.ConsoleHandler
                .level=ALL
                java.util.logging.ConsoleHandler.level=ALL
                """);
        CandidateProcess.Builder builder = CandidateProcess.java(Main.class, args)
                .environment("JAVA_TOOL_OPTIONS", "-Dmandate.cli.log=TRACE -Djava.util.logging.config.file=" + config)
                .environment(
                        "XDG_RUNTIME_DIR",
                        Files.createDirectories(temp.resolve("runtime")).toString())
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "");
        environment.forEach(builder::environment);
        return start(builder);
    }

    /** The four ways to hand over a password. */
    private List<Map<String, String>> ways() throws IOException {
        Path url = temp.resolve("url");
        Files.writeString(url, url("guest:" + CANARY) + "\n");
        Path password = temp.resolve("password");
        Files.writeString(password, CANARY + "\n");
        return List.of(
                Map.of("MANDATE_STORE", url("guest:" + CANARY)),
                Map.of("MANDATE_STORE_FILE", url.toString()),
                Map.of("MANDATE_STORE", url("guest") + "&passwordEnv=DATABASE_KEY", "DATABASE_KEY", CANARY),
                Map.of("MANDATE_STORE", url("guest") + "&passwordFile=" + password));
    }

    @Test
    void aPasswordShowsNowhereHoweverItIsGiven() throws Exception {
        for (Map<String, String> way : ways()) {
            CandidateProcess leader = leader(way);
            CandidateProcess status = ended(loud(way, "status", "--json", "--debug"));

            assertNoCanaryInArguments();
            assertNoCanaryInCommands(leader);
            assertNoCanaryInFiles(temp.resolve("runtime"));
            assertNoCanarySaid(status);
            assertNoCanarySaid(leader);
            assertThat(leader.log())
                    .as("the driver and the library are loud")
                    .anyMatch(line -> line.contains("org.postgresql."))
                    .anyMatch(line -> line.contains("mandate: info: "));
            leader.kill();
        }
    }

    @Test
    void noCommandShowsAPassword() throws Exception {
        Map<String, String> way = ways().get(0);
        CandidateProcess leader = leader(way);
        CandidateProcess follower = loud(way, "run", "--election", "default", "--lease", "2s", "--debug", "--", "true");
        awaitSaid(follower, "following 'default'");

        List<CandidateProcess> all = new ArrayList<>(List.of(
                leader,
                follower,
                ended(loud(way, "status", "--verify")),
                ended(loud(way, "observe", "default", "--for", "300ms", "--json")),
                ended(loud(way, "explain", "--settings")),
                ended(loud(way, "explain", "--json")),
                ended(loud(way, "evict", "default", "--force", "--json"))));
        awaitSaid(leader, "no longer leading");

        all.forEach(PostgresCommandsServerIT::assertNoCanarySaid);
        assertThat(query("SELECT record FROM cli.mandate_election")).doesNotContain(CANARY);
    }

    private CandidateProcess leader(Map<String, String> way) throws IOException {
        CandidateProcess leader = loud(
                way,
                "run",
                "--election",
                "default",
                "--lease",
                "2s",
                "--",
                "sh",
                "-c",
                "env; set; echo up; exec sleep 600");
        leader.await("its command", PATIENCE, "up"::equals);
        return leader;
    }

    /** The demo hands the store on to its own processes. It only watches them: take-over times do not matter here. */
    @Test
    void aPasswordIsHandedOnWithoutBeingShown() throws Exception {
        CandidateProcess demo = loud(ways().get(0), "demo", "--workers", "2", "--lease", "2s", "--watch", "20s");
        demo.await("a leader", PATIENCE, line -> line.contains(" leads, token "));

        assertNoCanaryInArguments();
        assertNoCanarySaid(ended(demo));
    }

    @Test
    void aWrongPasswordIsNotShownEither() throws Exception {
        for (Map<String, String> way : ways()) {
            execute("ALTER ROLE guest PASSWORD 'another'");
            try {
                for (String command : List.of("status", "explain", "demo")) {
                    CandidateProcess refused = loud(way, command, "--debug");

                    assertThat(refused.awaitExit(PATIENCE)).isEqualTo(4);
                    awaitSaid(refused, "the server refuses this user or password");
                    assertNoCanarySaid(refused);
                }
            } finally {
                execute("ALTER ROLE guest PASSWORD '" + CANARY + "'");
            }
        }
    }

    @Test
    void aPasswordInAnArgumentIsRefusedByEveryCommandAndNotRepeated() throws IOException {
        String secret = url("guest:" + CANARY);
        for (String[] args : new String[][] {
            {"run", "--election", "e", "--store", secret, "true"},
            {"run", "--election", "e", "--store=" + secret, "--", "true"},
            {"observe", "--store", secret, "a"},
            {"status", "--store", secret},
            {"evict", "--store", secret, "a"},
            {"demo", "--store", secret},
            {"explain", secret},
            {"bench", secret},
            {"explain", "sqlite:" + temp.resolve("x.db") + "?password=" + CANARY}
        }) {
            CandidateProcess refused = loud(Map.of(), args);
            assertThat(refused.awaitExit(PATIENCE)).isEqualTo(args[0].equals("run") ? 125 : 2);
            awaitSaid(refused, "set MANDATE_STORE to the URL, or MANDATE_STORE_FILE to a file that holds it");
            assertNoCanarySaid(refused);
        }
    }

    /** Where a URL is not expected it is quoted, but not its password. */
    @Test
    void aPasswordInAMisplacedArgumentIsNotRepeated() {
        String secret = url("guest:" + CANARY);
        String broken = secret + "&x=%zz";
        for (String[] args : new String[][] {
            {secret},
            {"--store=" + secret},
            {"status", secret},
            {"status", "a", secret},
            {"status", "--stor=" + secret},
            {"status", "--stor", broken},
            {"status", "--limit", secret},
            {"status", "--store", broken},
            {"observe", secret},
            {"evict", secret},
            {"explain", "a", secret},
            {"run", "--election", secret, "true"},
            {"run", "--election", "e", secret},
            {"run", "--election", "e", "--lease", broken, "true"},
            {"bench", "--only", secret}
        }) {
            Called refused = Called.with(Main.PROGRAM, Map.of("PATH", "/usr/bin"), args);

            assertThat(refused.code()).isIn(2, 125, 127);
            assertThat(refused.out() + refused.err()).as(String.join(" ", args)).doesNotContain(CANARY);
        }
    }

    private static CandidateProcess ended(CandidateProcess process) {
        assertThat(process.awaitExit(PATIENCE)).as("%s", process.log()).isZero();
        return process;
    }

    private static void awaitSaid(CandidateProcess process, String text) {
        Await.until(
                "'" + text + "' of " + process.log(),
                PATIENCE,
                () -> process.log().stream().anyMatch(line -> line.contains(text)));
    }

    private static void assertNoCanarySaid(CandidateProcess process) {
        assertThat(process.log()).isNotEmpty().noneMatch(line -> line.contains(CANARY));
    }

    private static void assertNoCanaryInArguments() throws IOException {
        List<String> lines = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                lines.add(read(process.resolve("cmdline")));
            }
        }
        assertThat(lines)
                .anyMatch(line -> line.contains(Main.class.getName()))
                .noneMatch(line -> line.contains(CANARY));
    }

    /** Neither the supervisor nor what it started has it. */
    private static void assertNoCanaryInCommands(CandidateProcess run) {
        List<String> environments = ProcessHandle.of(run.pid())
                .orElseThrow()
                .descendants()
                .map(process -> read(Path.of("/proc", Long.toString(process.pid()), "environ")))
                .toList();

        assertThat(environments)
                .hasSizeGreaterThanOrEqualTo(3)
                .anyMatch(text -> text.contains("MANDATE_TOKEN="))
                .noneMatch(text -> text.contains(CANARY) || text.contains("MANDATE_STORE"));
    }

    private static void assertNoCanaryInFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .noneMatch(file -> read(file).contains(CANARY));
        }
    }

    /** Empty where it has gone meanwhile. */
    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
