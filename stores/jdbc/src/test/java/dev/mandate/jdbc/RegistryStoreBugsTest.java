package dev.mandate.jdbc;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.nio.file.Path;
import java.util.List;

/**
 * Mistakes that can be made in registering, wherever: they are planted in the engine and the runtime, and found on a
 * file.
 */
class RegistryStoreBugsTest extends StoreBugs {
    private static final String COMMANDS = "engine/Commands.java";
    private static final String REGISTRATION = "internal/ClientRegistration.java";

    @Override
    protected Path sources() {
        return Path.of("..", "..", "core", "src", "main", "java", "dev", "mandate");
    }

    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug(
                                "old-metadata-after-an-outage",
                                "What registers again is what was said first, not what was said last.")
                        .edit(COMMANDS, "wanted.change(e.value());", "")
                        .foundBy("SqliteRegistryTest#afterAnOutageTheNewestStateRegistersAgain"),
                bug("closed-registration-returns", "A registration that was closed during an outage registers again.")
                        .edit(COMMANDS, "wanted.withdraw();", "if (!settings.registers()) { wanted.withdraw(); }")
                        .foundBy("SqliteRegistryTest#oneClosedInAnOutageNeverComesBack"),
                bug("closed-registration-leaves-its-row", "What a release leaves of a registration stays for ever.")
                        .edit(REGISTRATION, "erasure.start(now);", "isOver();")
                        .foundBy(
                                "SqliteRegistryTest#anInstanceIsSeenChangesAndGoes",
                                "SqliteRegistryTest#oneClosedInAnOutageNeverComesBack"),
                bug("check-ends-out-of-service", "A health check puts back what a hand took out.")
                        .edit(
                                REGISTRATION,
                                "before.status() == Status.OUT_OF_SERVICE ? before : before.withStatus(status)",
                                "before.withStatus(status)")
                        .foundBy("SqliteRegistryTest#outOfServiceEndsByHandAlone"));
    }
}
