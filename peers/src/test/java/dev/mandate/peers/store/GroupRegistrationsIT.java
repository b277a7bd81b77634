package dev.mandate.peers.store;

import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Instances registered with a group of three, by its guests: killed, frozen, deleted by hand, and without a majority.
 */
@Execution(ExecutionMode.CONCURRENT)
class GroupRegistrationsIT extends RegistrationTrials {
    @TempDir
    Path directory;

    private GroupTrialStore group;

    @BeforeEach
    void start() {
        group = new GroupTrialStore(directory);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    @Override
    protected TrialStore store() {
        return group;
    }
}
