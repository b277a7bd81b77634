package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** What can be wrong with a file: one clear sentence each, and nothing lost. */
class SqliteBadInputTest {
    @TempDir
    Path directory;

    private static JdbcElectionStore open(Path file, String parameters) {
        return (JdbcElectionStore) new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + file + parameters));
    }

    private static void refused(Path file, String parameters, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> open(file, parameters).close())
                .withMessageContainingAll(words)
                .withMessageContaining(file.toString());
    }

    @Test
    void aMissingDirectoryIsNamed() {
        refused(directory.resolve("none/mandate.db"), "", "the directory", "does not exist; create it");
    }

    @Test
    void anOddFileNameIsTheFilesName() {
        Path file = directory.resolve("50% + 1 #'ä.db");
        open(Path.of(file.toString().replace("%", "%25")), "").close();

        assertThat(file).exists();
    }

    @Test
    void aDirectoryIsNoFile() {
        refused(directory, "", "is a directory; name a file in it");
    }

    @Test
    void aFileThatIsNoDatabaseStaysAsItIs() throws Exception {
        Path file = directory.resolve("letter.txt");
        String text = "Dear reader, this is a letter. ".repeat(200);
        Files.writeString(file, text);

        refused(file, "", "not an SQLite database; name another one");

        assertThat(file).hasContent(text);
    }

    @Test
    void aFileThatMayNotBeMadeIsNotMade() {
        Path file = directory.resolve("none.db");

        refused(file, "?create=false", "does not exist; check the path");

        assertThat(file).doesNotExist();
    }

    @Test
    void missingTablesThatMayNotBeMadeArePrinted() throws Exception {
        Path file = directory.resolve("empty.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Jdbc.run(connection, "CREATE TABLE other (x)");
        }

        refused(file, "?create=false", "no tables of Mandate's", "CREATE TABLE IF NOT EXISTS mandate_election (path");

        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Jdbc.run(connection, Ddl.text(Sql.of(Dialect.SQLITE)).split(";"));
        }
        open(file, "?create=false").close();
    }

    @Test
    void theDocumentedStatementsDoWhatTheySay() throws Exception {
        Path file = directory.resolve("by-hand.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Jdbc.run(connection, DocumentedSql.of("sqlite.md", "CREATE").toArray(String[]::new));
            Jdbc.run(connection, DocumentedSql.of("../fence.md", "CREATE").toArray(String[]::new));
        }
        RecordKey key = RecordKey.election("documented");

        try (StoreClient client = new StoreClient(open(file, "?create=false"));
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            long term = client.lead(key).term();

            List<String> select = DocumentedSql.of("sqlite.md", "SELECT");
            assertThat(select).hasSize(1);
            assertThat(Jdbc.query(connection, select.get(0), row -> row.getString(1) + " " + row.getLong(2)))
                    .containsExactly("election/documented " + term);
        }
    }

    @Test
    void tablesOfTheSameNameThatAreNotOursAreRefused() throws Exception {
        Path file = directory.resolve("other.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            Jdbc.run(connection, "CREATE TABLE mandate_session (id, name, version, session)");
        }

        refused(file, "", "its tables are missing or others", "no such column");
    }

    @Test
    void aFileThatMayNotBeWrittenIsRefusedAtOpening() throws Exception {
        Path file = directory.resolve("read-only.db");
        open(file, "").close();
        assertThat(file.toFile().setWritable(false)).isTrue();
        Assumptions.assumeFalse(Files.isWritable(file), "this user may write to every file");

        refused(file, "", "read-only for this process; let it write the file and its directory");
    }

    /** The same by the database's own means, whoever runs the test. */
    @Test
    void aReadOnlyConnectionIsRefusedAtOpening() {
        Path file = directory.resolve("read-only-connection.db");
        open(file, "").close();
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        SQLiteDataSource dataSource = new SQLiteDataSource(config);
        dataSource.setUrl("jdbc:sqlite:" + file);

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(
                        () -> JdbcElectionStore.open(dataSource, Dialect.SQLITE).close())
                .withMessageContaining("read-only for this process");
    }

    @Test
    void aDatabaseInMemoryIsRefused() {
        SQLiteDataSource dataSource = new SQLiteDataSource();
        dataSource.setUrl("jdbc:sqlite::memory:");

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(
                        () -> JdbcElectionStore.open(dataSource, Dialect.SQLITE).close())
                .withMessageContaining("journal mode is 'memory'")
                .withMessageContaining("use a file on a local disk");
    }

    /** A file that may not grow is what a full disk looks like to the database. */
    @Test
    void aFullDiskIsNamedAndWhatStoodThereStays() throws Exception {
        Path file = directory.resolve("full.db");
        open(file, "").close();
        SQLiteConfig config = new SQLiteConfig();
        config.setMaxPageCount(8);
        SQLiteDataSource dataSource = new SQLiteDataSource(config);
        dataSource.setUrl("jdbc:sqlite:" + file);
        RecordKey key = RecordKey.election("kept");
        try (StoreClient client = new StoreClient(JdbcElectionStore.open(dataSource, Dialect.SQLITE))) {
            long term = client.lead(key).term();

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            client.lead(RecordKey.election("more-" + i));
                        }
                    })
                    .withMessageContaining("acquiring election/more-")
                    .withMessageContaining("the disk is full; make room");

            assertThat(client.readHeld(key).term()).isEqualTo(term);
            client.renew();
        }
    }

    @Test
    void aFileThatWasReplacedIsNotedAndLedByNobody() throws Exception {
        Path file = directory.resolve("replaced.db");
        RecordKey key = RecordKey.election("replaced");
        try (StoreClient holder = new StoreClient(open(file, ""))) {
            holder.lead(key);
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(directory.resolve("replaced.db" + suffix));
            }

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(holder::renew)
                    .withMessageContaining("deleted or replaced while it was in use");
            try (StoreClient other = new StoreClient(open(file, ""))) {
                other.lead(key);
                assertThat(holder.renew()).isEqualTo(dev.mandate.spi.SessionRenewal.gone());
            }
        }
    }

    @Test
    void aSessionOfAnotherStoreIsRefused() throws Exception {
        Path file = directory.resolve("sessions.db");
        RecordKey key = RecordKey.election("mixed");
        try (StoreClient one = new StoreClient(open(file, ""));
                StoreClient two = new StoreClient(open(file, ""))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> one.store()
                            .acquire(key, one.read(key), one.proposal("v"), two.session(), StoreClient.call()))
                    .withMessageContaining("a session that this store opened");
        }
    }

    @Test
    void aKeyThatIsTooLongIsRefusedBeforeAnyCall() throws SQLException {
        RecordKey key = new RecordKey("registration", List.of("ä".repeat(256), "ö".repeat(256)));
        try (StoreClient client = new StoreClient(open(directory.resolve("long.db"), ""))) {
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> client.lead(key))
                    .withMessageContaining("a SQL store takes 2500; make its names shorter");
        }
    }
}
