package dev.mandate.examples.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The files. A key's file is named like its path, {@code election/nightly/%record}, and is replaced as a whole, so that
 * a reader sees one write or the next. No name has a percent sign like {@code %record}: it cannot be a segment.
 */
final class Folder {
    private static final String RECORD = "%record";
    private static final long RETRY_MILLIS = 2;

    private final Path root;

    Folder(Path root) {
        this.root = root;
    }

    /** Runs it alone in this folder. Fails, and has done nothing, if the lock cannot be had before the call is over. */
    <T> T locked(CallContext call, Callable<T> work) throws Exception {
        // Java holds file locks for the whole process: its threads need another lock among them.
        synchronized (Folder.class) {
            try (FileChannel channel = FileChannel.open(root.resolve("%lock"), CREATE, WRITE)) {
                while (!call.isOver()) {
                    if (channel.tryLock() != null) {
                        return work.call();
                    }
                    Thread.sleep(RETRY_MILLIS);
                }
            }
        }
        throw new StoreUnavailableException("another process held the lock of " + root + " for too long");
    }

    /** A number that nothing in this folder had before. Under the lock. */
    long nextNumber() throws IOException {
        Path file = root.resolve("%number");
        try {
            long next = Files.exists(file) ? 1 + Long.parseLong(Files.readString(file)) : 1;
            replace(file, Long.toString(next));
            return next;
        } catch (NumberFormatException e) {
            throw damaged(file);
        }
    }

    /** What stands at a key. */
    Stored read(RecordKey key) throws IOException {
        Path file = folder(key).resolve(RECORD);
        try {
            List<String> lines = Files.readAllLines(file, UTF_8);
            String json = lines.get(3);
            return new Stored(
                    Long.parseLong(lines.get(1)),
                    Long.parseLong(lines.get(2)),
                    json.isEmpty() ? null : RecordJson.read(json));
        } catch (NoSuchFileException e) {
            return Stored.NOTHING;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw damaged(file);
        }
    }

    /** Replaces what stands at a key. Under the lock. */
    void write(RecordKey key, Stored stored) throws IOException {
        String json = stored.record() == null ? "" : RecordJson.write(stored.record());
        Path folder = Files.createDirectories(folder(key));
        replace(
                folder.resolve(RECORD),
                key.path() + "\n" + stored.version() + "\n" + stored.renewal() + "\n" + json + "\n");
    }

    /** Under the lock. */
    void delete(RecordKey key) throws IOException {
        Files.deleteIfExists(folder(key).resolve(RECORD));
    }

    /** The keys at or below a prefix that have a file. */
    List<RecordKey> keys(RecordKey prefix) throws IOException {
        List<RecordKey> keys = new ArrayList<>();
        Deque<Path> folders = new ArrayDeque<>(List.of(folder(prefix)));
        while (!folders.isEmpty()) {
            Path folder = folders.pop();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    if (Files.isDirectory(file)) {
                        folders.push(file);
                    } else if (file.endsWith(RECORD)) {
                        keys.add(RecordKey.parse(Files.readAllLines(file, UTF_8).get(0)));
                    }
                }
            } catch (NoSuchFileException e) {
                // Nothing was ever stored below, or it was erased just now.
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw damaged(folder.resolve(RECORD));
            }
        }
        return keys;
    }

    /** No file system takes names longer than 255 bytes: longer segments become several folders. */
    private Path folder(RecordKey key) {
        Path path = root;
        for (String segment : key.path().split("/", -1)) {
            path = path.resolve(segment.replaceAll(".{200}", "$0%/"));
        }
        return path;
    }

    private static void replace(Path file, String text) throws IOException {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(whole, text);
        Files.move(whole, file, ATOMIC_MOVE);
    }

    private static StoreSetupException damaged(Path file) {
        return new StoreSetupException(file + " was not written by Mandate, or is damaged; remove it");
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
