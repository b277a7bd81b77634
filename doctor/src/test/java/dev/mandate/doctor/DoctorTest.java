package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.console.MountedDisk;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The doctor where no server is needed. Leases are long wherever it has to find nothing: a busy machine is then no
 * reason for a warning.
 */
class DoctorTest {
    /** Rows of elections: all but the mark of what was erased. */
    private static final String ELECTIONS = "mandate_election WHERE path <> '#election'";

    @TempDir
    private Path temp;

    private String sqlite(String name) {
        return "sqlite:" + temp.resolve(name);
    }

    private long count(String name, String table) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + temp.resolve(name));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
            return rows.getLong(1);
        }
    }

    @Test
    void aStoreThatIsWellIsSaidToBe() throws Exception {
        Doctored doctored = Doctored.at(sqlite("well.db") + "?lease=60s").assertVerdict(Severity.OK);

        assertThat(doctored.findings())
                .extracting(Finding::subject)
                .contains("reachable", "version", "durability", "file", "round trip", "listing", "lease", "hints")
                .contains("writes", "operations", "clock", "take-over", "overlap");
        doctored.assertSays(Severity.OK, "version", "SQLite 3.")
                .assertSays(Severity.OK, "lease", "asked for 1 min 0 s, granted 1 min 0 s")
                .assertSays(Severity.OK, "operations", "acquiring", "updating", "releasing")
                .assertSays(Severity.OK, "take-over", "at most");
        assertThat(count("well.db", ELECTIONS)).isZero();
        assertThat(count("well.db", "mandate_session")).isZero();
    }

    @Test
    void elsewhereNothingIsTouched() throws Exception {
        String store = sqlite("others.db") + "?lease=60s";
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("led").campaign("here")) {
            Doctored.at(store).assertVerdict(Severity.OK).assertSays(Severity.OK, "listing", "1 election known");

            assertThat(led.isValid()).isTrue();
            led.proclaim("there");
            assertThat(count("others.db", ELECTIONS)).isEqualTo(1);
            assertThat(count("others.db", "mandate_session")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory:?lease=60s",
                "memory:doctored?lease=60s&scope=record",
                "memory:?lease=60s&expiry=observer-judges",
                "memory:?lease=60s&expiry=observer-judges&scope=record&watch=false",
                "memory:?lease=60s&vacant=constant&updatesRenew=true&scope=record"
            })
    void everyKindOfStoreIsExamined(String url) {
        Doctored.at(url)
                .assertVerdict(Severity.OK)
                .assertSays(Severity.OK, "operations", "acquiring, updating, releasing worked");
    }

    @Test
    void linesArePlainAndEndWithTheSum() {
        Called called =
                Called.with(Doctored.PROGRAM, Map.of(), "doctor", "--create", sqlite("plain.db") + "?lease=60s");

        assertThat(called.assertDone().out().lines())
                .allMatch(line -> line.startsWith("ok       ") || line.equals("All is well."))
                .last()
                .isEqualTo("All is well.");
        assertThat(called.err()).isEmpty();
    }

    @Test
    void warningsEndWithOne() throws Exception {
        String store = sqlite("open.db") + "?lease=60s";
        Called.with(Doctored.PROGRAM, Map.of(), "doctor", "--create", store).assertDone();
        Files.setPosixFilePermissions(temp.resolve("open.db"), PosixFilePermissions.fromString("rw-rw-rw-"));

        Doctored.at(store)
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.WARNING, "rights", "open.db", "chmod o-w");
        Called called = Called.with(Doctored.PROGRAM, Map.of(), "doctor", store);
        assertThat(called.code()).isEqualTo(1);
        assertThat(called.out()).endsWith("0 errors, 1 warning.\n");
    }

    @Test
    void aFileThatIsNoDatabaseIsAnError() throws IOException {
        Path letter = Files.writeString(temp.resolve("letter.txt"), "Dear reader, this is a letter.\n");

        Doctored.at("sqlite:" + letter).assertUnreachable("letter.txt", "not an SQLite database; name another one");
        assertThat(letter).hasContent("Dear reader, this is a letter.\n");
    }

    @Test
    void aFolderThatIsMissingIsAnError() {
        Doctored.at(sqlite("none/store.db")).assertUnreachable("none", "does not exist; create it");
        Doctored.at(sqlite("none.db") + "?create=false").assertUnreachable("none.db", "does not exist");
    }

    @Test
    void aFileThatIsReadOnlyIsAnError() {
        try (MountedDisk disk = MountedDisk.on(temp.resolve("disk"), 1024)) {
            String store = "sqlite:" + disk.folder().resolve("store.db") + "?lease=60s";
            Doctored.at(store).assertVerdict(Severity.WARNING).assertSays(Severity.WARNING, "file", "make room");
            disk.makeReadOnly();

            Doctored.at(store).assertUnreachable("store.db", "let ");
        }
    }

    @Test
    void aFullDiskIsAnError() throws IOException {
        try (MountedDisk disk = MountedDisk.on(temp.resolve("full"), 1024)) {
            String store = "sqlite:" + disk.folder().resolve("store.db") + "?lease=60s";
            ElectionClient.connect(store).close();
            disk.fill();

            Doctored full = Doctored.at(store).assertVerdict(Severity.ERROR);

            assertThat(full.sentences(Severity.ERROR)).anyMatch(said -> said.contains("the disk "));
        }
    }

    /** Nobody listens there: soon, once, and without the secret. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://app:Canary7yrucse@127.0.0.1:PORT/db",
                "etcd://app:Canary7yrucse@127.0.0.1:PORT",
                "etcd://127.0.0.1:PORT",
                "consul://127.0.0.1:PORT"
            })
    void whereNobodyListensOneSentenceSaysSo(String url) throws IOException {
        Doctored doctored = Doctored.at(url.replace("PORT", freePort()));

        doctored.assertUnreachable("127.0.0.1");
        assertThat(doctored.called().out() + doctored.called().err()).doesNotContain("Canary7yrucse");
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "foo:bar",
                "/var/lib/x.db",
                "sqlite:",
                "sqlite:x.db?leese=3s",
                "sqlite:x.db?lease=100ms",
                "etcd://host?lease=3s&drainTimeout=3s"
            })
    void aUrlThatCannotBeIsRefusedInOneSentence(String url) {
        Called.with(Doctored.PROGRAM, Map.of(), "doctor", "--create", url).assertRefused(2, " ");
    }

    @Test
    void aNameThatCannotBeIsRefused() {
        Called.with(Doctored.PROGRAM, Map.of(), "doctor", "--prefix", "a\u001bb", sqlite("x.db"))
                .assertRefused(2, "the temporary election", "U+001B");
    }
}
