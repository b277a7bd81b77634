package dev.mandate.test;

import dev.mandate.CandidacyStatus;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionClient;
import dev.mandate.ElectionsListener;
import dev.mandate.ElectionsWatch;
import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import dev.mandate.Leader;
import dev.mandate.QueuesListener;
import dev.mandate.QueuesWatch;
import dev.mandate.registry.Registry;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A client for tests: the real one, on a store in memory and in virtual time. Give it to your program in place of the
 * one from {@link ElectionClient#connect}.
 *
 * <p>It wins no election until the test says so: see {@link TestElection}. Everything else, such as the registry and
 * the watches, works as on any store.
 *
 * <p><strong>Time</strong> stands still, except during the methods of this package, and while the test's thread waits
 * in a call of Mandate that has a bound, such as {@code campaign(value, atMost)} or {@code close()}. The test's thread
 * is the one that created this client or last called a method of this package. A call without a bound, or on another
 * thread, waits in real time until the test lets enough time pass. Sleeps of your program take real time; to control
 * them, too, give your program the {@link #clock()}.
 *
 * <p><strong>Threads:</strong> tasks, listeners and completions run on daemon threads, as with any client. Before time
 * passes, and before they return, methods of this package wait until those threads, and those of your program that
 * wait in a call, have come to rest. A thread that computes, or waits for input, for a second is no longer waited for.
 * What your program hands to threads of its own may come later.
 *
 * <p>Safe for use from many threads.
 */
public final class TestElectionClient implements ElectionClient {
    private final TestMachine machine;
    private final TestMachine.Opened opened;
    private final Map<String, TestElection> elections = new ConcurrentHashMap<>();

    /** A client with the default lease of 10 s. */
    public TestElectionClient() {
        this(Duration.ofSeconds(10));
    }

    /**
     * A client with that lease and the defaults that follow from it, but without a splay.
     *
     * @throws IllegalArgumentException if the lease is too short or too long
     */
    public TestElectionClient(Duration lease) {
        this.machine = new TestMachine(lease);
        this.opened = machine.open("test");
    }

    /** Lets virtual time pass, and everything happen that is due meanwhile. */
    public void advance(Duration by) {
        host().own();
        host().advance(by);
    }

    /** The virtual wall clock. Starts at 2026-01-01T00:00:00Z. */
    public Clock clock() {
        return new TestClock(host(), ZoneOffset.UTC);
    }

    /**
     * Cuts off this client from its store, until {@link #healStore}: requests and answers are lost. A term then ends
     * when its lease has run out: {@link #advance} by the lease.
     */
    public void cutStore() {
        host().own();
        opened.store().cut();
    }

    /** Connects this client to its store again. */
    public void healStore() {
        host().own();
        opened.store().heal();
        host().advance(Duration.ZERO);
    }

    TestMachine machine() {
        return machine;
    }

    TestHost host() {
        return machine.host();
    }

    TestStore store() {
        return opened.store();
    }

    /** The elections in which a candidacy goes on, by name. */
    List<String> campaigning() {
        return elections.values().stream()
                .filter(TestElection::isCampaigning)
                .map(TestElection::name)
                .sorted()
                .toList();
    }

    // ---- the real client ----

    @Override
    public String candidate() {
        return opened.client().candidate();
    }

    @Override
    public Guarantee guarantee() {
        return opened.client().guarantee();
    }

    /** The election of that name. Nobody leads at first, and this client is not elected: {@link TestElection#elect}. */
    @Override
    public TestElection election(String name) {
        return elections.computeIfAbsent(
                name, n -> new TestElection(this, opened.client().election(n)));
    }

    @Override
    public List<Leader> leaders(String prefix, int limit) {
        return opened.client().leaders(prefix, limit);
    }

    @Override
    public ElectionsWatch watchElections(ElectionsListener listener) {
        return opened.client().watchElections(listener);
    }

    @Override
    public QueuesWatch watchQueues(QueuesListener listener) {
        return opened.client().watchQueues(listener);
    }

    @Override
    public Map<String, CandidacyStatus> elections() {
        return opened.client().elections();
    }

    @Override
    public ClientStatistics statistics() {
        return opened.client().statistics();
    }

    @Override
    public Registry registry() {
        return opened.client().registry();
    }

    @Override
    public Explanation explain() {
        return opened.client().explain();
    }

    /** Closes this client politely, in virtual time, and ends the terms of other candidates. */
    @Override
    public void close(Duration grace) {
        opened.client().close(grace);
        elections.values().forEach(TestElection::endOther);
    }

    /** Closes this client and ends the terms of other candidates. */
    @Override
    public void close() {
        opened.client().close();
        elections.values().forEach(TestElection::endOther);
    }

    @Override
    public String toString() {
        return "TestElectionClient";
    }
}
