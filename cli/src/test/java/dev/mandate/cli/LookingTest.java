package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.console.Called;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that look make nothing: a store that is not there is named, and is not there afterwards. */
class LookingTest {
    @TempDir
    private Path temp;

    private Called call(String line, String... more) {
        String[] args =
                Stream.concat(Stream.of(line.split(" ")), Stream.of(more)).toArray(String[]::new);
        return Called.with(
                Main.PROGRAM, Map.of("XDG_DATA_HOME", temp.resolve("data").toString()), args);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "status --verify --json",
                "explain",
                "explain --settings",
                "observe a --for 300ms",
                "leader a",
                "leader a --wait 300ms --json",
                "services --json",
                "instances web",
                "instances web --verify --json",
                "instances web --watch --for 300ms",
                "serve --port 0 --for 300ms",
                "evict a",
                "evict a --force"
            })
    void aFileThatIsNotThereIsNamedAndNotMade(String command) throws IOException {
        call(command, "--store", "sqlite:" + temp.resolve("typo.db"))
                .assertRefused(4, "typo.db", "does not exist", "check the path");
        call(command, "--store", "sqlite:" + temp.resolve("typo.db?create=true"))
                .assertRefused(4, "typo.db", "does not exist");
        call(command).assertRefused(4, "no default store yet", "mandate.db", "'mandate run' creates it");

        try (Stream<Path> left = Files.walk(temp)) {
            assertThat(left).containsExactly(temp);
        }
    }

    @Test
    void theDoctorMakesNothingUnlessItIsAskedTo() throws IOException {
        Path file = temp.resolve("typo.db");

        Called looked = call("doctor", "sqlite:" + file);

        assertThat(looked.code()).isEqualTo(2);
        assertThat(looked.out()).contains("error", "reachable", "typo.db", "does not exist");
        assertThat(file).doesNotExist();
        call("doctor").assertRefused(2, "no default store yet");
        assertThat(temp.resolve("data")).doesNotExist();

        Called made = call("doctor --create", "sqlite:" + file);

        assertThat(made.code()).as(made.out()).isLessThan(2);
        assertThat(made.out()).contains("acquiring, updating, releasing worked");
        assertThat(call("doctor --store", "sqlite:" + file).code()).isLessThan(2);
    }

    /** A database of another program's keeps every byte, its journal mode among them. */
    @Test
    void anotherProgramsFileIsLeftAsItIs() throws Exception {
        Path theirs = temp.resolve("theirs.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + theirs);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id INTEGER)");
        }
        byte[] before = Files.readAllBytes(theirs);

        Called looked = call("status", "--store", "sqlite:" + theirs);

        assertThat(looked.code()).isEqualTo(4);
        assertThat(looked.err()).contains("theirs.db", "no tables of Mandate's", "CREATE TABLE");
        assertThat(Files.readAllBytes(theirs)).isEqualTo(before);
        assertThat(temp.toFile().list()).containsExactly("theirs.db");
    }

    @Test
    void anEmptyFileIsLeftEmpty() throws Exception {
        Path empty = Files.createFile(temp.resolve("empty.db"));

        assertThat(call("status", "--store", "sqlite:" + empty).code()).isEqualTo(4);

        assertThat(empty).isEmptyFile();
    }

    @Test
    void aStoreThatIsGivenTwiceIsRefused() {
        call("explain sqlite:/x --store sqlite:/y").assertRefused(2, "twice", "--store");
    }
}
