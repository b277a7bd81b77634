package dev.mandate.peers.store;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A group of 5. */
@Execution(ExecutionMode.CONCURRENT)
class GroupOfFiveIT extends GroupConformance {
    @TempDir
    static Path directory;

    private static LiveGroup group;

    @BeforeAll
    static void start() {
        group = new LiveGroup("ring", 5, directory, "&maxLease=15s").start();
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    LiveGroup group() {
        return group;
    }
}
