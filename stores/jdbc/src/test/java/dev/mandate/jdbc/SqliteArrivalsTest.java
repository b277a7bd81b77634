package dev.mandate.jdbc;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Candidates that queue on a file, killed, frozen and deleted by hand. */
@Tag("long")
class SqliteArrivalsTest extends ArrivalTrials {
    @TempDir
    Path directory;

    @Override
    protected TrialStore store() {
        return new SqliteTrialStore(directory.resolve("mandate.db"));
    }
}
