package dev.mandate.cli.run;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Folders for the files that a supervisor and this process share, readable only by this user. */
final class Folders {
    private Folders() {}

    /** Creates a folder in the first of the usual places that is writable. */
    static Path create() throws IOException {
        IOException failed = new IOException("no folder for temporary files");
        for (String place : places()) {
            try {
                return Files.createTempDirectory(Path.of(place), "mandate-");
            } catch (IOException e) {
                failed.addSuppressed(e);
            }
        }
        throw new IOException(
                "none of " + places() + " can be written to; set java.io.tmpdir to a folder that can be", failed);
    }

    private static List<String> places() {
        @Nullable String runtime = System.getenv("XDG_RUNTIME_DIR");
        String temporary = System.getProperty("java.io.tmpdir", "/tmp");
        return runtime == null || !runtime.startsWith("/")
                ? List.of(temporary, "/dev/shm")
                : List.of(runtime, temporary, "/dev/shm");
    }

    /** Creates a named pipe that only this user can open. */
    static void makePipe(Path path) throws IOException {
        Process mkfifo = new ProcessBuilder("mkfifo", "-m", "600", path.toString())
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        boolean interrupted = false;
        while (true) {
            try {
                int code = mkfifo.waitFor();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                if (code != 0) {
                    throw new IOException("mkfifo could not make " + path + " (exit code " + code + ")");
                }
                return;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /** Deletes the folder and the files in it, as far as they are still there. */
    static void delete(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // The supervisor also removes it once it finds this process dead.
        }
    }
}
