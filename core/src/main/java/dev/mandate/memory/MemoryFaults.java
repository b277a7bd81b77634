package dev.mandate.memory;

import dev.mandate.internal.memory.Faults;
import dev.mandate.internal.memory.MemoryServer;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Makes a named {@code memory:} store fail, so that you can test what your program does when it loses its leadership:
 *
 * <pre>{@code
 * try (MemoryFaults store = MemoryFaults.of("orders");
 *         ElectionClient a = ElectionClient.connect("memory:orders?lease=1s&as=a");
 *         ElectionClient b = ElectionClient.connect("memory:orders?lease=1s&as=b")) {
 *     … // a leads
 *     store.only("a").cutOff();
 *     … // a's work is interrupted, then b leads
 * }
 * }</pre>
 *
 * <p>A named store lives while a client or an object of this class is open for its name; after that, the next one
 * to open finds it empty. A fault lasts until {@link #heal}, and affects what is sent from then on. Several can
 * be in force at once.
 *
 * <p>Safe for use from many threads; no method blocks.
 */
public final class MemoryFaults implements AutoCloseable {
    private final MemoryServer server;
    private final String label;
    private final boolean isRoot;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private MemoryFaults(MemoryServer server, String label, boolean isRoot) {
        this.server = server;
        this.label = label;
        this.isRoot = isRoot;
    }

    /**
     * The faults of {@code memory:name}, whether or not a client is open already.
     *
     * @throws IllegalArgumentException if the name is empty: nothing else can reach a nameless {@code memory:} store
     */
    public static MemoryFaults of(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name is empty; give the one in the URL: 'orders' for memory:orders");
        }
        return new MemoryFaults(MemoryServer.enter(name), "", true);
    }

    /** The faults of only those clients whose URL has {@code as=label}. Closing it does nothing. */
    public MemoryFaults only(String as) {
        if (as.isEmpty()) {
            throw new IllegalArgumentException("label is empty; give the one in the URL: 'a' for memory:orders?as=a");
        }
        return new MemoryFaults(server, as, false);
    }

    /** Neither requests nor answers arrive: every call fails at its deadline, and hints are lost. */
    public void cutOff() {
        change(f -> f.isCutOff = true);
    }

    /** Requests take effect, but their answers never come. */
    public void loseAnswers() {
        change(f -> f.answersToLose = Faults.ALWAYS);
    }

    /** The next {@code count} requests take effect, but their answers never come. */
    public void loseAnswers(int count) {
        requireCount(count);
        change(f -> f.answersToLose = count);
    }

    /** Calls fail at once, without effect, as if nobody listened at the store's address. */
    public void refuseConnections() {
        change(f -> f.isFailing = true);
    }

    /** The next {@code count} writes are refused, without effect and without showing the actual state. */
    public void refuseWrites(int count) {
        requireCount(count);
        change(f -> f.writesToRefuse = count);
    }

    /** Requests arrive that much later. Earlier requests keep their delay. */
    public void delay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay is " + delay + ", must not be negative");
        }
        change(f -> f.delay = delay);
    }

    /** Requests wait, and take effect when healed, long after their senders gave up. Leases expire meanwhile. */
    public void freeze() {
        change(f -> f.isFrozen = true);
    }

    /** Watches fall silent; calls work. */
    public void dropHints() {
        change(f -> f.isDroppingHints = true);
    }

    /** Calls fail with {@link dev.mandate.StoreSetupException} and that message, as for a wrong password. */
    public void failPermanently(String message) {
        change(f -> f.permanent = message);
    }

    /** Ends all faults, for all clients and labels; for {@link #only}, those of its label. */
    public void heal() {
        server.network().heal(label);
    }

    /**
     * Ends the lease of the election's holder now, as an operator could. Where a session keeps the lease, ends it with
     * everything it keeps. Returns whether anybody held it.
     */
    public boolean expireNow(String election) {
        return server.endLease(RecordKey.election(election));
    }

    /** Removes the election's record behind its holder's back. Returns whether there was one. */
    public boolean deleteRecord(String election) {
        return server.delete(RecordKey.election(election));
    }

    /**
     * Replaces the election's record by one of another program, which stays until it is released or deleted.
     *
     * @throws IllegalStateException if no client was opened yet, so that there is no store
     */
    public void overwriteRecord(String election, String text) {
        server.overwrite(RecordKey.election(election), text);
    }

    /** How many requests were sent to this store so far, whatever became of them. */
    public long requests() {
        return server.network().requests();
    }

    /** Heals everything and leaves the store, which ends if no client is open. Idempotent. */
    @Override
    public void close() {
        if (isRoot && isClosed.compareAndSet(false, true)) {
            heal();
            server.leave();
        }
    }

    private static void requireCount(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + ", must not be negative");
        }
    }

    private void change(Consumer<Faults> change) {
        server.network().change(label, change);
    }
}
