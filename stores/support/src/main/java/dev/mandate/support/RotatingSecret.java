package dev.mandate.support;

import dev.mandate.StoreSetupException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A secret that can be rotated: its file is read again before a login and after a rejection. The file may be replaced
 * before the server is told, or after: if the server rejects what the file holds now, the former secret is tried once
 * more. A file that is missing, empty or unusable leaves the secret unchanged, with one warning in the log. No message
 * and no text form shows the secret. Thread-safe.
 *
 * @param <T> what is made of the file; it must define {@code equals}
 */
public final class RotatingSecret<T> {
    /** The least pause between reads of the file, however many calls are rejected at a time. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final int WAITING_MAX = 32;
    private static final long IDLE_SECONDS = 2;

    private static final System.Logger LOG = System.getLogger("dev.mandate.store");

    private final String name;
    private final @Nullable Supplier<T> source;

    /** What the file held when it was last read and usable. */
    private T newest;

    private volatile T current;

    /** What was in use before {@link #newest}; null once the server has rejected it, too. */
    private @Nullable T former;

    /** Its only thread ends when idle. */
    private final ThreadPoolExecutor reader = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_MAX),
            work -> StoreThreads.daemon("mandate-secret", work));

    private boolean isUnusable;
    private long readAtNanos;

    private RotatingSecret(String name, @Nullable Supplier<T> source, T first) {
        this.name = name;
        this.source = source;
        this.newest = first;
        this.current = first;
        this.readAtNanos = System.nanoTime() - AGAIN_NANOS;
        reader.allowCoreThreadTimeOut(true);
    }

    /** A secret that never changes, because it is part of the URL or of the environment. */
    public static <T> RotatingSecret<T> fixed(T secret) {
        return new RotatingSecret<>("a fixed secret", null, secret);
    }

    /**
     * A secret in a file; reads it for the first time.
     *
     * @param name for the log, without the secret: {@code the password file /run/password}
     * @param source reads and checks the file; blocks for as long as that takes
     * @throws StoreSetupException if {@code source} throws it
     */
    public static <T> RotatingSecret<T> inFile(String name, Supplier<T> source) {
        return new RotatingSecret<>(name, source, source.get());
    }

    /** The secret in use. Does not read the file, so it never blocks. */
    public T current() {
        return current;
    }

    /** The secret to log in with: what the file holds now. Blocks while it reads the file. */
    public synchronized T forLogin() {
        read();
        return current;
    }

    /**
     * The server rejected a secret. Returns whether {@link #current} is now another one, which is worth one more try.
     * Blocks while it reads the file.
     *
     * @param used the secret that was rejected
     */
    public synchronized boolean rejected(T used) {
        if (source != null && current.equals(used) && System.nanoTime() - readAtNanos >= AGAIN_NANOS) {
            read();
        }
        if (!current.equals(used)) {
            return true;
        }
        T other = current.equals(newest) ? former : newest;
        if (other == null || other.equals(used)) {
            return false;
        }
        if (current.equals(newest)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the server rejected what is in {0}; trying the former secret once more",
                    name);
        } else {
            former = null;
        }
        current = other;
        return true;
    }

    /**
     * As {@link #rejected}, for callers that must not wait for a file, which may hang: one daemon thread reads it.
     *
     * @return completes with false at once if many wait for the file already
     */
    public CompletableFuture<Boolean> rejectedAside(T used) {
        try {
            return CompletableFuture.supplyAsync(() -> rejected(used), reader);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(false);
        }
    }

    private void read() {
        if (source == null) {
            return;
        }
        readAtNanos = System.nanoTime();
        T read;
        try {
            read = source.get();
        } catch (StoreSetupException e) {
            if (!isUnusable) {
                LOG.log(System.Logger.Level.WARNING, "the former secret stays in use: " + e.getMessage());
            }
            isUnusable = true;
            return;
        }
        isUnusable = false;
        if (!read.equals(newest)) {
            former = current;
            newest = read;
            current = read;
            LOG.log(System.Logger.Level.INFO, "{0} has changed; using its new content", name);
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return name;
    }
}
