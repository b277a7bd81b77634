package dev.mandate.azureblob;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Files with secrets for tests; gone with the JVM. */
final class Files {
    private Files() {}

    static Path secret(String text) {
        try {
            Path file = java.nio.file.Files.createTempFile("mandate-secret", ".txt");
            file.toFile().deleteOnExit();
            return java.nio.file.Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
