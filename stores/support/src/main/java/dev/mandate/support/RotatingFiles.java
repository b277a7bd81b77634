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
 * A value made from some files, and made again when one of them changes. If a change can't be used yet, because the
 * other file of a pair is still to be written, the former value stays in force until it can. Thread-safe.
 */
final class RotatingFiles<T> {
    /** How often, at most, the files are checked. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final System.Logger LOG = System.getLogger("dev.mandate.store");

    private final List<Path> files;
    private final Supplier<T> load;
    private volatile T value;
    private String seen;
    private String complainedOf = "";
    private volatile long lookedAtNanos;

    /**
     * Loads the files for the first time.
     *
     * @param load blocks no longer than reading the files takes
     * @throws StoreSetupException if {@code load} throws it
     */
    RotatingFiles(List<String> files, Supplier<T> load) {
        this.files = files.stream().map(Path::of).toList();
        this.load = load;
        // Checked before reading: a change in between shows at the next check.
        this.seen = state();
        this.value = load.get();
        this.lookedAtNanos = System.nanoTime();
    }

    /** The newest value. If the files changed, blocks while it reads them. */
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

    /** Identifies a content: a file that was replaced, by renaming too, differs in one of these attributes. */
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
