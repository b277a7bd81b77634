package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/** Secrets and certificates that are replaced while a leader leads. */
public final class Rotation {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Rotation() {}

    /** Replaces a file atomically, as orchestrators do: no reader sees half of it. */
    public static Path write(Path file, String content) {
        try {
            Path other = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
            return Files.move(other, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same by a copy. */
    public static void copy(Path from, Path file) {
        try {
            write(file, Files.readString(from));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Asserts that {@code term} outlives its lease, so it was renewed, and that its leader can write.
     *
     * @param lease that of its client
     */
    public static void isOutlivedBy(Leadership term, Duration lease) {
        Await.passing(lease.plus(lease.dividedBy(4)));
        assertThat(term.isValid()).as("the term goes on").isTrue();
        writes(term);
    }

    /** Waits until the leader of {@code term} can write. */
    public static void writes(Leadership term) {
        Await.until("a write", PATIENCE, () -> {
            try {
                term.proclaim("at " + System.nanoTime());
                return true;
            } catch (StoreUnavailableException | StoreSetupException e) {
                return false;
            }
        });
    }
}
