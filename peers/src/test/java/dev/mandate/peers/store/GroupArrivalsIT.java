package dev.mandate.peers.store;

import dev.mandate.testkit.ArrivalTrials;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidates that queue in a group of five: members, and guests that are killed, frozen and deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
class GroupArrivalsIT extends ArrivalTrials {
    @TempDir
    static Path directory;

    private static MembersTrialStore group;

    @BeforeAll
    static void start() {
        group = new MembersTrialStore(directory);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    protected TrialStore store() {
        return group;
    }
}
