package dev.mandate;

import dev.mandate.internal.ClientBuilder;
import dev.mandate.registry.Registry;
import dev.mandate.spi.ElectionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * One candidate: an open connection to a store, with its own identity. It can campaign in any number of elections
 * and watch any others.
 *
 * <p>Every client draws a random incarnation when it is opened: two clients with one candidate id are still two
 * candidates. All elections of a client share one loop thread and, where the store has sessions, one session.
 *
 * <p>Safe for use from many threads. The client's own threads are daemons, and it installs no shutdown hook: if a JVM
 * ends without {@link #close()}, what it held has to expire.
 */
public interface ElectionClient extends AutoCloseable {

    /**
     * Opens a client for the store at {@code url}, with the settings in the URL's parameters: {@code
     * sqlite:/var/lib/mandate.db?lease=10s}.
     *
     * @throws IllegalArgumentException if the URL or a setting in it is wrong; names it, its value and the bound
     * @throws StoreSetupException if the store will not work until somebody changes something
     * @throws StoreUnavailableException if the store did not answer within {@code connectTimeout}
     */
    static ElectionClient connect(String url) {
        return builder(url).connect();
    }

    /** A builder for a client of the store at {@code url}; its setters override URL parameters of the same name. */
    static Builder builder(String url) {
        return new ClientBuilder(url);
    }

    /** A builder for a client of an already opened store. The client closes it. */
    static Builder builder(ElectionStore store) {
        return new ClientBuilder(store);
    }

    /** The candidate id for people. */
    String candidate();

    /** How much leadership from this client's store is worth. */
    Guarantee guarantee();

    /**
     * The election of that name. Cheap; returns the same object for the same name.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 512 bytes of UTF-8, or contains control
     *     characters or half a surrogate pair
     */
    Election election(String name);

    /**
     * Lists the recorded leaders of all elections whose names begin with {@code prefix}, by name, at most {@code limit}
     * of them. Blocks until the store has answered.
     *
     * @throws StoreUnavailableException if the store did not answer in time
     */
    List<Leader> leaders(String prefix, int limit);

    /**
     * Follows who leads, for all elections of the store at once, without campaigning. The listener first receives the
     * whole list, then changes. Writes nothing and opens no session. Returns at once.
     *
     * <p>Costs one watch of the store, and listings of all elections, however many watches this client has: one every
     * {@code recordCheckInterval}, after each gap in the store's watch, and within a third of a lease after a hint of a
     * change; many changes share one. In between, it reads one election every half lease to check that the store
     * answers. Where observers judge, or without a watch, it lists every quarter of a lease. Long lists are listed less
     * often; see {@code docs/discovery.md}. To follow a few elections, {@link Election#observe} costs less.
     *
     * <p>Follows at most 100,000 elections. If there are more, it follows those that came first and logs a warning.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ElectionsWatch watchElections(ElectionsListener listener);

    /** {@link #watchElections(ElectionsListener)} without a listener. */
    default ElectionsWatch watchElections() {
        return watchElections((now, changes) -> {});
    }

    /**
     * Follows who waits, for all elections of the store at once; see {@link Election#queue()}. Costs as much as {@link
     * #watchElections}, for places in queues instead of elections. Follows at most 100,000 places.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    QueuesWatch watchQueues(QueuesListener listener);

    /** {@link #watchQueues(QueuesListener)} without a listener. */
    default QueuesWatch watchQueues() {
        return watchQueues((now, changed) -> {});
    }

    /**
     * The elections that this client campaigns in, by name, each with its state at the instant of asking. Without those
     * that it only observes. An unmodifiable copy; ask again for a newer one.
     */
    Map<String, CandidacyStatus> elections();

    /** Services and their instances, in this client's store. Cheap; costs nothing until it is used. */
    Registry registry();

    /** The bounds that follow from this client's settings and its store, in words and as data. Does not block. */
    Explanation explain();

    /**
     * What this client has counted since it was opened, and the elections that it campaigns in: for metrics. Counting
     * costs nothing that a hand-over would show, and nothing per election. Does not block; takes time and memory in
     * proportion to the elections that this client campaigns in, some microseconds for each. A new snapshot; ask again
     * for a newer one, also after {@link #close()}.
     */
    ClientStatistics statistics();

    /**
     * Stops politely: campaigns in no further election and, like {@link Candidacy#close(Duration)} for all elections at
     * once, leaves terms in progress up to {@code grace} to finish their work, with their leases renewed. Work that
     * began with {@code campaign} ends when its {@link Leadership} is closed. When no work is left, after
     * {@code grace}, or if the caller is interrupted, goes on as {@link #close()}; registrations and observers end only
     * then. When called from a task or listener of this client, returns at once and goes on in the background. The
     * earliest grace of several calls counts. Idempotent.
     *
     * @throws IllegalArgumentException if {@code grace} is negative or longer than 365 days
     */
    void close(Duration grace);

    /**
     * Ends all candidacies, registrations and observers at once: interrupts work and waits for it up to the drain
     * budget, then releases what is held, then ends the session. Takes at most the drain budget plus a few answer
     * time-outs; work that runs longer keeps its lease until that expires. No leadership of this client is valid from
     * the first instant of the call. Called from a task or listener of this client, it returns at once and goes on in
     * the background. Idempotent; does not throw.
     */
    @Override
    void close();

    /**
     * Settings of a client. Most users need the first four at most; each of the others has a default that fits. Every
     * setter has a URL parameter of the same name; the setter wins. In URLs, write durations as {@code 500ms}, {@code
     * 10s}, {@code 2m}, {@code 1h}. L is the lease.
     *
     * <p>Every setter throws {@link IllegalArgumentException} if the value is out of bounds; names it and the bound.
     */
    interface Builder {
        /** How long a term lives without renewal: L. Default 10 s. */
        Builder lease(Duration lease);

        /** How long work may take to stop. Default L/6. */
        Builder drainTimeout(Duration atMost);

        /** How long to wait for the store's answer to a request. Default L/15. */
        Builder requestTimeout(Duration atMost);

        /**
         * The candidate's id for people, at most 512 bytes. Not unique, never compared. Default host name and process
         * id.
         */
        Builder candidate(String id);

        // ---- advanced ----

        /**
         * How long {@link #connect} waits for the store's first good answer. Default 10 s; zero: it does not wait, and
         * the store may come later.
         */
        Builder connectTimeout(Duration atMost);

        /**
         * Whether connecting, or a first campaign, may create what is missing in the store: a file, tables, a bucket, a
         * container. Default: what the URL's {@code create} says, else true. With false, {@link #connect} throws {@link
         * StoreSetupException} if something is missing and leaves the store untouched: for programs that only read. An
         * open store given to {@link ElectionClient#builder(ElectionStore)} decides for itself.
         */
        Builder create(boolean missing);

        /** Refuses, at connect, a store with a lower guarantee. Default {@link Guarantee#ADVISORY}: any. */
        Builder requiredGuarantee(Guarantee weakest);

        /**
         * Who tries first when an election is vacant. Default {@link Order#RACE}. Refused on stores with their own
         * order ({@code bully:} and {@code ring:}).
         */
        Builder order(Order order);

        /** The time from the send of one renewal to the next. Default L/3. */
        Builder renewInterval(Duration every);

        /** The pause between a failed request and the next try; doubles with every further failure. Default L/40. */
        Builder retryInterval(Duration every);

        /**
         * How often a waiting candidate reads the store. Default L/10. While the store's watch works, a client that
         * only observes reads every third of a lease, or as often as this if that is longer.
         */
        Builder pollInterval(Duration every);

        /** How often a client lists all its records, where a session keeps the lease. Default 30 s. */
        Builder recordCheckInterval(Duration every);

        /** The pause after a resignation, an eviction or failed work; doubles up to 6 L. Default L/4. */
        Builder coolDown(Duration pause);

        /** The first read is delayed by a random part of this. Default L/50. */
        Builder splay(Duration atMost);

        /** What happens to the lease when work outlives {@code drainTimeout}. Default {@link OverrunPolicy#RELEASE}. */
        Builder onOverrun(OverrunPolicy policy);

        /** The greatest ratio of two machines' clock rates that is covered, from 1.0 to 2.0. Default 1.1. */
        Builder maxClockRatio(double ratio);

        /** Subtracted from the deadline because clocks are coarse. Default L/100. */
        Builder deadlineMargin(Duration margin);

        /**
         * Which wins are announced only after a wait for the former leader to stop. Default
         * {@link Settle#AFTER_FOREIGN}.
         */
        Builder settle(Settle settle);

        /** How long to settle after a foreign record. Default the longer of L and the lease the foreign record had. */
        Builder settleTime(Duration time);

        /**
         * How long a registration lives without renewal, on stores with a lease per record. A longer one costs fewer
         * writes, but keeps a dead instance listed for longer. Default: L where observers judge, elsewhere the
         * longer of L and 30 s, as far as the store grants that. Refused where one session keeps all records of a
         * client: there it is L.
         */
        Builder registrationLease(Duration lease);

        /**
         * Runs tasks, health checks, listeners and completions of stages. Must start each at once, not one after the
         * other: what it queues is late, even a task or the end of a term; a warning is logged if it does. What it
         * refuses runs on one of the client's threads, except for tasks and health checks, whose term ends. Default:
         * daemon threads, one for each task and health check. Listeners and completions share 16 each; if some block
         * while others wait, more are started within 0.2 s.
         */
        Builder executor(Executor executor);

        /**
         * Opens the client.
         *
         * @throws IllegalArgumentException if settings contradict each other; names both numbers
         * @throws StoreSetupException if the store will not work until somebody changes something
         * @throws StoreUnavailableException if the store did not answer within {@code connectTimeout}
         */
        ElectionClient connect();
    }
}
