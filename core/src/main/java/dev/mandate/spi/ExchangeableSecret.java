package dev.mandate.spi;

import dev.mandate.StoreSetupException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A secret that may be exchanged while it is used: where it stands in a file, that is read again after a refusal, so that the new one can be put
 * there before the old one ends. Safe for use from many threads.
 */
public final class ExchangeableSecret {
    /** What a file is read again for at most that often. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final boolean isChanging;
    private final Supplier<Optional<String>> source;
    private volatile Optional<String> secret;
    private volatile long readAtNanos;

    /**
     * Reads the secret for the first time.
     *
     * @param isChanging whether it can be another one the next time: in a file, not in a variable of the environment
     * @param source reads and checks it; blocks no longer than a file takes to read, and may throw {@link StoreSetupException}, which is
     *     thrown here
     */
    public ExchangeableSecret(boolean isChanging, Supplier<Optional<String>> source) {
        this.isChanging = isChanging;
        this.source = source;
        this.secret = source.get();
        this.readAtNanos = System.nanoTime();
    }

    /** The secret as it was read last; empty if there is none. */
    public Optional<String> current() {
        return secret;
    }

    /** The secret was refused: whether there is another one now. Blocks for as long as the file takes to read. */
    public boolean hasAnother() {
        if (!isChanging || System.nanoTime() - readAtNanos < AGAIN_NANOS) {
            return false;
        }
        readAtNanos = System.nanoTime();
        Optional<String> before = secret;
        try {
            secret = source.get();
        } catch (StoreSetupException e) {
            // Being exchanged, perhaps. The refusal says all there is to say.
            return false;
        }
        return !secret.equals(before);
    }
}
