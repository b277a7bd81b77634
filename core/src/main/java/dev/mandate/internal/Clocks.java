package dev.mandate.internal;

import dev.mandate.engine.BootEstimate;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the clocks of a machine together. Time since boot comes from the kernel where available; elsewhere, and once
 * the kernel's clock has failed, it is estimated from the wall clock. Any thread; no method blocks for longer than a
 * read of memory takes.
 */
final class Clocks {
    /** Longer than any lease: whatever was measured before the kernel's clock failed is over. */
    private static final long FAILED_NANOS = 366L * 24 * 3_600 * 1_000_000_000L;

    /** The kernel's time since boot. */
    @FunctionalInterface
    interface Kernel {
        /** Now, in nanoseconds. */
        long nanos() throws IOException;
    }

    private final LongSupplier monotonic;
    private final LongSupplier wall;
    private final Runnable failed;
    private final AtomicReference<BootEstimate> estimate;
    private volatile @Nullable Kernel kernel;
    private volatile long failedNanos;

    /** How far, at least, the kernel's clock was ahead of the monotonic one: it never falls back. */
    private final AtomicLong aheadNanos = new AtomicLong(Long.MIN_VALUE);

    /**
     * @param kernel null where there is none
     * @param failed called, once, when the kernel's clock fails
     */
    Clocks(LongSupplier monotonic, LongSupplier wall, @Nullable Kernel kernel, Runnable failed) {
        this.monotonic = monotonic;
        this.wall = wall;
        this.kernel = kernel;
        this.failed = failed;
        this.estimate = new AtomicReference<>(BootEstimate.begin(monotonic.getAsLong(), wall.getAsLong()));
    }

    /** Whether time since boot is estimated; setting the wall clock back during a suspension defeats the estimate. */
    boolean isEstimated() {
        return kernel == null;
    }

    /** All clocks, each as of an instant within the call. A pause between readings makes later ones show more time. */
    Now now() {
        long before = monotonic.getAsLong();
        long wallMillis = wall.getAsLong();
        Kernel source = kernel;
        if (source != null) {
            try {
                long boot = source.nanos();
                long after = monotonic.getAsLong();
                long seen = aheadNanos.get();
                if (seen == Long.MIN_VALUE || boot - before + LeaseWindow.BOOT_COARSE_NANOS >= seen) {
                    if (boot - after > seen) {
                        aheadNanos.accumulateAndGet(boot - after, Math::max);
                    }
                    return new Now(after, boot, wallMillis);
                }
                // It fell behind: whatever it counts, it is not time since boot.
            } catch (IOException e) {
                // Suspensions since the last reading are unknown.
            }
            fail(source);
        }
        long after = monotonic.getAsLong();
        return new Now(after, look(before, wallMillis, after).nanos(after) + failedNanos, wallMillis);
    }

    /** As {@link #now}, but continues time since boot from {@code earlier} as if there had been no suspension. */
    Now since(Now earlier) {
        long wallMillis = wall.getAsLong();
        long nanos = monotonic.getAsLong();
        return new Now(nanos, earlier.bootNanos() + nanos - earlier.monotonicNanos(), wallMillis);
    }

    private BootEstimate look(long before, long wallMillis, long after) {
        while (true) {
            BootEstimate seen = Objects.requireNonNull(estimate.get());
            BootEstimate next = seen.look(before, wallMillis, after);
            if (next.equals(seen) || estimate.compareAndSet(seen, next)) {
                return next;
            }
        }
    }

    private void fail(Kernel source) {
        synchronized (this) {
            if (kernel != source) {
                return;
            }
            long ahead = aheadNanos.get();
            // What the wall clock did until now does not count.
            estimate.set(BootEstimate.begin(monotonic.getAsLong(), wall.getAsLong()));
            failedNanos = (ahead == Long.MIN_VALUE ? 0 : ahead) + FAILED_NANOS;
            kernel = null;
        }
        try {
            failed.run();
        } catch (RuntimeException | Error e) {
            // It only writes to the log.
        }
    }
}
