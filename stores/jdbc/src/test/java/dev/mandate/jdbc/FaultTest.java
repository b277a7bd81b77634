package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an error means: whether somebody has to act, and whether the connection is of any more use. */
class FaultTest {
    private static final SQLException CAUSE = new SQLException("said by the driver");

    @TempDir
    Path directory;

    private SqliteDatabase database(Path file, boolean create) {
        return new SqliteDatabase(SqliteSource.file(file, create));
    }

    @Test
    void whatSomebodyHasToMendIsASetupFaultAndTheRestMayPass() {
        ElectionException permanent = Fault.permanent("make room").exception("SQLite", "reading", CAUSE);
        ElectionException denied = Fault.denied("grant it").exception("SQLite", "reading", CAUSE);

        assertThat(permanent).isInstanceOf(StoreSetupException.class).hasCause(CAUSE);
        assertThat(permanent).hasMessage("SQLite: reading: make room");
        assertThat(((StoreSetupException) permanent).isDenied()).isFalse();
        assertThat(((StoreSetupException) denied).isDenied()).isTrue();
        assertThat(denied).hasMessage("SQLite: reading: grant it").hasCause(CAUSE);
        for (Fault fault : new Fault[] {Fault.passing("later"), Fault.broken("later")}) {
            assertThat(fault.exception("SQLite", "reading", CAUSE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage("SQLite: reading: later")
                    .hasCause(CAUSE);
        }
    }

    /** By SQLite's result codes; the upper bits of one say more of the same. */
    @ParameterizedTest
    @CsvSource({
        "5, PASSING, another process was writing",
        "6, PASSING, another process was writing",
        "8, PERMANENT, read-only for this process",
        "1032, PERMANENT, read-only for this process",
        "10, BROKEN, the disk failed: said",
        "11, PERMANENT, the file is damaged",
        "13, PERMANENT, the disk is full; make room",
        "14, PERMANENT, the file does not exist; check the path",
        "26, PERMANENT, not an SQLite database",
        "1, BROKEN, said",
        "21, BROKEN, said"
    })
    void whatSqliteReports(int code, Fault.Kind kind, String sentence) {
        Fault fault = database(directory.resolve("none.db"), false).fault(new SQLException("said", "", code));

        assertThat(fault.kind()).isEqualTo(kind);
        assertThat(fault.sentence()).contains(sentence);
    }

    @ParameterizedTest
    @CsvSource({"no such table: x", "no such column: x", "table x has no column y"})
    void aMissingTableOrColumnIsNamedWithTheStatementsThatMakeIt(String text) {
        Fault fault = database(directory.resolve("a.db"), true).fault(new SQLException(text, "", 1));

        assertThat(fault.kind()).isEqualTo(Fault.Kind.PERMANENT);
        assertThat(fault.sentence()).contains(text).contains("CREATE TABLE");
    }

    /** The tables are there, so nobody is told how to make them. */
    @Test
    void aRightThatPostgresqlDoesNotGrantIsNamedInOneSentence() {
        Database postgresql = new PostgresDatabase(
                PostgresSource.server("PostgreSQL", "jdbc:postgresql://h/db", new Properties(), null));
        String told = "ERROR: permission denied for table mandate_election\n  Hint: ask the owner.\n  Position: 12\n";

        Fault fault = postgresql.fault(new SQLException(told, "42501"));

        assertThat(fault.kind()).isEqualTo(Fault.Kind.DENIED);
        assertThat(fault.sentence())
                .isEqualTo("this user may not do that (ERROR: permission denied for table mandate_election;"
                        + " Hint: ask the owner.; Position: 12); GRANT it");
    }

    @Test
    void aFileThatCannotBeOpenedIsExplainedByWhatStandsThere() throws Exception {
        Path file = directory.resolve("here.db");

        assertThat(SqliteSource.file(file, false).cannotOpen()).contains("does not exist; check the path");
        assertThat(SqliteSource.file(file, true).cannotOpen()).contains("can't be made; let this process write");
        Files.createFile(file);
        assertThat(SqliteSource.file(file, true).cannotOpen()).contains("let this process read and write it");
        assertThat(SqliteSource.of(null).cannotOpen()).contains("does its directory exist");
    }
}
