package dev.mandate.support;

import dev.mandate.StoreSetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What is made of some files, made again when one of them changed. A change that can't be used yet, because another
 * file of a pair is still to be written, leaves the former value in force until it can. Safe for use from many threads.
 */
final class RotatingFiles<T> {
    /** Files are looked at this often at the most. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final System.Logger LOG = System.getLogger("dev.mandate.store");

    private final List<Path> files;
    private final Supplier<T> load;
    private volatile T value;
    private String seen;
    private String complainedOf = "";
    private volatile long lookedAtNanos;

    /**
     * Loads them for the first time.
     *
     * @param load blocks no longer than the files take to read
     * @throws StoreSetupException if {@code load} throws it
     */
    RotatingFiles(List<String> files, Supplier<T> load) {
        this.files = files.stream().map(Path::of).toList();
        this.load = load;
        // Looked at before they are read: what changes in between is seen as a change the next time.
        this.seen = state();
        this.value = load.get();
        this.lookedAtNanos = System.nanoTime();
    }

    /** The newest value. Blocks for as long as the files take to read, if they changed. */
    T current() {
        if (System.nanoTime() - lookedAtNanos >= LOOK_NANOS) {
            look();
        }
        return value;
    }

    private synchronized void look() {
        if (System.nanoTime() - lookedAtNanos < LOOK_NANOS) {
            return;
        }
        lookedAtNanos = System.nanoTime();
        String now = state();
        if (now.equals(seen)) {
            return;
        }
        try {
            value = load.get();
            seen = now;
        } catch (StoreSetupException e) {
            if (!now.equals(complainedOf)) {
                complainedOf = now;
                LOG.log(System.Logger.Level.WARNING, "the former TLS files stay in use: " + e.getMessage());
            }
        }
    }

    /** What tells one content from the next: a file that was replaced, by renaming too, differs in one of these. */
    private String state() {
        StringBuilder state = new StringBuilder();
        for (Path file : files) {
            try {
                BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
                state.append(seen.lastModifiedTime())
                        .append(' ')
                        .append(seen.size())
                        .append(' ');
                state.append(seen.fileKey()).append('\n');
            } catch (IOException e) {
                state.append("none\n");
            }
        }
        return state.toString();
    }
}
