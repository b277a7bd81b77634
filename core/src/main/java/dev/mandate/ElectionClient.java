package dev.mandate;

import dev.mandate.internal.ClientBuilder;
import dev.mandate.registry.Registry;
import dev.mandate.spi.ElectionStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * One candidate: an open connection to a store, with an identity of its own, that can stand in any number of elections and watch any
 * others.
 *
 * <p>Every client draws a random incarnation when it is opened, so that two with one candidate id are still two candidates. All its
 * elections share one loop thread and, where the store has sessions, one session.
 *
 * <p>Safe for use from many threads. The client's own threads are daemons, and it installs no shutdown hook: a JVM that ends without
 * {@link #close()} leaves what it held to expire.
 */
public interface ElectionClient extends AutoCloseable {

    /**
     * Opens a client for the store at {@code url}, with the settings in the URL's parameters: {@code
     * sqlite:/var/lib/mandate.db?lease=10s}.
     *
     * @throws IllegalArgumentException if the URL or a setting in it is wrong; names it, its value and the bound
     * @throws StoreSetupException if the store will not work until somebody changes something
     * @throws StoreUnavailableException if the store did not answer within the {@code startup} time
     */
    static ElectionClient connect(String url) {
        return at(url).connect();
    }

    /** A builder for a client of the store at {@code url}; its setters override the URL's parameters of the same name. */
    static Builder at(String url) {
        return new ClientBuilder(url);
    }

    /** A builder for a client of an already opened store. The client closes it. */
    static Builder on(ElectionStore store) {
        return new ClientBuilder(store);
    }

    /** The candidate id for people. */
    String candidate();

    /** How much leadership from this client's store is worth. */
    Guarantee guarantee();

    /**
     * The election of that name. Cheap; the same object for the same name.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 512 bytes of UTF-8, or holds control characters or half a
     *     surrogate pair
     */
    Election election(String name);

    /**
     * Lists who is recorded as leader, by name, for all elections whose names begin with {@code prefix}, at most {@code limit} of them. Blocks
     * until the store answered.
     *
     * @throws StoreUnavailableException if the store did not answer in time
     */
    List<Leader> leaders(String prefix, int limit);

    /**
     * Follows who leads, for all elections of the store at once, without standing. The listener is told the whole
     * first, then what changes. Writes nothing and opens no session. Returns at once.
     *
     * <p>Costs one watch of the store, and listings of all elections, however many watches this client has: one every
     * {@code leaderPoll}, after each gap in what the store's watch tells, and within a third of a lease after a change
     * that it tells of; many changes share one. In between one election is read every half lease, to see that the store
     * answers. Where observers judge, or there is no watch, a listing every quarter of a lease. Long lists are listed
     * less often; see {@code docs/discovery.md}. To follow a few elections, {@link Election#observe} costs less.
     *
     * <p>At most 100,000 elections are followed. If there are more, those that came first are, and a warning is logged.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ElectionsWatch watchElections(ElectionsListener listener);

    /** {@link #watchElections(ElectionsListener)} for those who only ask. */
    default ElectionsWatch watchElections() {
        return watchElections((now, changes) -> {});
    }

    /**
     * Follows who waits, for all elections of the store at once; see {@link Election#queue()}. Costs as much as
     * {@link #watchElections}, for the places in queues instead of the elections. At most 100,000 places are followed.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    QueuesWatch watchQueues(QueuesListener listener);

    /** {@link #watchQueues(QueuesListener)} for those who only ask. */
    default QueuesWatch watchQueues() {
        return watchQueues((now, changed) -> {});
    }

    /** Services and their instances, in this client's store. Cheap; costs nothing until it is used. */
    Registry registry();

    /** The bounds that follow from this client's settings and its store, in words and as data. Does not block. */
    Explanation explain();

    /**
     * Ends all candidacies, registrations and observers: work is interrupted and awaited for the drain budget, then
     * what is held is released, then the session is ended. Takes at most the drain budget plus a few answer time-outs;
     * work that outlives it keeps its lease until that expires by itself. No leadership of this client is valid from
     * the first instant of the call. Called from a task or listener of this client it returns at once, and the rest
     * goes on behind it. Idempotent; does not throw.
     */
    @Override
    void close();

    /**
     * Settings of a client. Every setter has a URL parameter of the same name; a setter wins over the URL. Durations in URLs are written
     * {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}. What is not set takes its default from the table in {@code LeaseTiming}.
     */
    interface Builder {
        /** The candidate id for people; default host name and process id. Not unique, never compared. At most 512 bytes. */
        Builder candidate(String id);

        /** L: how long a term lives without renewal. Default 10 s. */
        Builder lease(Duration lease);

        /** The greatest ratio of two machines' clock rates that is covered. Default 1.1. */
        Builder q(double ratio);

        /** Subtracted from the deadline for the coarseness of clocks. Default L/100. */
        Builder guard(Duration guard);

        /** From one renewal to the next. Default L/3. */
        Builder renew(Duration renew);

        /** How long an answer is awaited. Default L/15. */
        Builder answer(Duration answer);

        /** From a missing answer to the next try. Default L/40. */
        Builder retry(Duration retry);

        /** How long work may take to stop. Default L/6. */
        Builder drain(Duration drain);

        /**
         * How often a candidate that waits looks at the store. Default L/10. A client that only observes looks every
         * third of a lease, or as often as this if that is longer, while the store's watch works.
         */
        Builder poll(Duration poll);

        /** How often all held records are looked at, where a session keeps the lease. Default 30 s. */
        Builder leaderPoll(Duration leaderPoll);

        /** The first look is delayed by a random part of this. Default L/50. */
        Builder splay(Duration splay);

        /** The pause after a resignation, an eviction or failed work; doubles up to 6 L. Default L/4. */
        Builder coolDown(Duration coolDown);

        /**
         * How long a registration lives without renewal, on stores that keep a lease for each record. A longer one
         * costs fewer writes, and keeps an instance that died listed for longer. Default L where observers judge,
         * elsewhere the longer of L and 30 s, as far as the store grants that. Refused where one session keeps all
         * records of a client: there it is L.
         */
        Builder registrationLease(Duration lease);

        /**
         * Who tries first when an election is vacant. Default {@link Order#RACE}. Refused on a store that has an order
         * of its own ({@code bully:} and {@code ring:}).
         */
        Builder order(Order order);

        /** When a win is announced only after a settling time. Default {@link Settle#AFTER_FOREIGN}. */
        Builder settle(Settle settle);

        /** How long to settle after a foreign record; default the longer of L and the lease the foreign record had. */
        Builder settleForeign(Duration settleForeign);

        /** What happens to the lease when work outlives the drain budget. Default {@link OverrunPolicy#RELEASE}. */
        Builder onOverrun(OverrunPolicy policy);

        /** Refuses, at connect, a store whose guarantee is less. Default {@link Guarantee#ADVISORY}: any. */
        Builder require(Guarantee guarantee);

        /**
         * Whether connecting, or a first campaign, may make what the store is missing: a file, tables, a bucket, a container. Default: as the
         * URL's {@code create} says, else true. With false {@link #connect} throws {@link StoreSetupException} where something is
         * missing, and the store is left untouched: for programs that only look. An open store given to {@link ElectionClient#on} decides
         * for itself.
         */
        Builder create(boolean missing);

        /** How long {@link #connect} waits for the store's first good answer. Default 10 s; zero: not at all, and the store may come later. */
        Builder startup(Duration atMost);

        /**
         * Runs tasks, health checks, listeners and completions of stages. Must start each at once, not one after the other: what it lets wait is
         * late, a task and the end of a term as well. What it refuses runs on a thread of the client's, except for tasks and health checks, whose
         * term ends. Default: daemon threads, one for each task and health check; listeners and completions share 16 each, and more are started
         * within 0.2 s for what waits behind those that block.
         */
        Builder executor(Executor executor);

        /**
         * Opens the client.
         *
         * @throws IllegalArgumentException if settings are impossible together; names both numbers
         * @throws StoreSetupException if the store will not work until somebody changes something
         * @throws StoreUnavailableException if the store did not answer within the startup time
         */
        ElectionClient connect();
    }
}
