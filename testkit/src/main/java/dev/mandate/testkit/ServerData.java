package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The data folder of one server, in the folder for temporary files. Its name contains the process id of the JVM that
 * made it, so that a later run can delete what a killed one left behind.
 */
final class ServerData {
    private static final String PREFIX = "mandate-server-";
    /** Younger folders may belong to a process that is not visible from here. */
    private static final Duration LEFT_AFTER = Duration.ofHours(1);

    private final Path folder;

    private ServerData(Path folder) {
        this.folder = folder;
    }

    static ServerData create(String name) {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            deleteLeft(temporary);
            return new ServerData(Files.createTempDirectory(
                            temporary, PREFIX + ProcessHandle.current().pid() + "-" + name + "-")
                    .toRealPath());
        } catch (IOException e) {
            throw new UncheckedIOException("no data folder for server " + name + " in " + temporary, e);
        }
    }

    static void deleteLeft(Path temporary) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "[0-9]*-*")) {
            for (Path left : folders) {
                String pid =
                        left.getFileName().toString().substring(PREFIX.length()).split("-")[0];
                Instant youngest = Instant.now().minus(LEFT_AFTER);
                if (pid.matches("[0-9]{1,18}")
                        && ProcessHandle.of(Long.parseLong(pid)).isEmpty()
                        && Files.getLastModifiedTime(left).toInstant().isBefore(youngest)) {
                    tryDelete(left, true);
                }
            }
        }
    }

    Path folder() {
        return folder;
    }

    void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException("file " + name + " can't be written into " + folder, e);
        }
    }

    /** Deletes everything in it. The server must not run. */
    void clear() {
        try {
            delete(folder, false);
        } catch (IOException e) {
            throw new UncheckedIOException("data in " + folder + " can't be deleted", e);
        }
    }

    /** Deletes it, as far as possible. */
    void delete() {
        tryDelete(folder, true);
    }

    private static void tryDelete(Path root, boolean withRoot) {
        try {
            delete(root, withRoot);
        } catch (IOException e) {
            System.out.println("[server] data in " + root + " can't be deleted: " + e);
        }
    }

    private static void delete(Path root, boolean withRoot) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) throws IOException {
                if (withRoot || !folder.equals(root)) {
                    Files.deleteIfExists(folder);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
