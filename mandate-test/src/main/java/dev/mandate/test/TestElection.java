package dev.mandate.test;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Eviction;
import dev.mandate.LeaderLatch;
import dev.mandate.LeaderListener;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderTask;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.Queued;
import dev.mandate.ResolverOptions;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An election for tests, in which your program leads when the test says so:
 *
 * <pre>{@code
 * TestElection election = TestElection.leading("orders", 42);
 * Candidacy candidacy = election.runWhileLeader("here", task);   // the task runs, with token 42
 * election.lose(EndReason.LEASE_RAN_OUT);                       // the task was interrupted
 * election.elect(43);                                            // the task runs again
 * }</pre>
 *
 * <p>What {@link Election} promises holds here, because the real client does the work. For time and threads see {@link
 * TestElectionClient}, which every election belongs to.
 */
public final class TestElection implements Election {
    private final TestElectionClient client;
    private final Election real;
    private final Control control;

    TestElection(TestElectionClient client, Election real) {
        this.client = client;
        this.real = real;
        this.control = new Control(client.machine(), client.store(), real);
    }

    /** An election that your program leads, with that token, from its first campaign on. */
    public static TestElection leading(String name, long token) {
        TestElection election = vacant(name);
        election.elect(token);
        return election;
    }

    /** An election without a leader, in which your program is not elected before {@link #elect}. */
    public static TestElection vacant(String name) {
        return new TestElectionClient().election(name);
    }

    /** An election that another candidate leads, with that token. Its published value is its candidate id, too. */
    public static TestElection ledBy(String name, String candidate, long token) {
        TestElection election = vacant(name);
        election.electOther(candidate, token);
        return election;
    }

    /** The client of this election. Other elections of that client share its time and its connection. */
    public TestElectionClient client() {
        return client;
    }

    // ---- what a test does ----

    /**
     * Your program leads, with that token. If it campaigns now, time passes until it is elected, at most eight leases:
     * a moment or, after terms that ended for other reasons than the store's, a cool-down. If work of an earlier term
     * still runs, it is elected once that has ended. If it does not campaign yet, it is elected as soon as it does.
     * Another leader resigns.
     *
     * @throws IllegalStateException if your program leads already, or is cut off from the store
     * @throws IllegalArgumentException if the token is not larger than all earlier tokens of this election
     */
    public void elect(long token) {
        control.elect(token);
    }

    /**
     * Another candidate leads, with that token, until {@link #elect}. Its published value is its candidate id, too.
     *
     * @throws IllegalStateException if your program leads
     * @throws IllegalArgumentException if the token is not larger than all earlier tokens of this election
     */
    public void electOther(String candidate, long token) {
        control.electOther(candidate, token);
    }

    /**
     * Ends the term of your program for that reason, as it would end in production: time passes until the client finds
     * out. Afterwards nobody leads or, after {@link EndReason#DISPLACED}, a candidate called "other". Your program is
     * not elected again before {@link #elect}.
     *
     * @throws IllegalStateException if your program does not lead, or is cut off from the store
     * @throws IllegalArgumentException if only your program can end a term for that reason; says how
     */
    public void lose(EndReason reason) {
        control.lose(reason);
    }

    /**
     * Cuts off the store and lets time pass until {@link #view()} is unknown. A term of your program ends on the way.
     * Ends with {@link #healStore}.
     */
    public void becomeUnknown() {
        control.becomeUnknown();
    }

    /** {@link TestElectionClient#advance}. */
    public void advance(Duration by) {
        client.advance(by);
    }

    /** {@link TestElectionClient#cutStore}. */
    public void cutStore() {
        client.cutStore();
    }

    /** {@link TestElectionClient#healStore}. */
    public void healStore() {
        client.healStore();
    }

    boolean isCampaigning() {
        return control.isCampaigning();
    }

    void endOther() {
        control.endOther();
    }

    // ---- the real election ----

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public Leadership campaign(String value) throws InterruptedException {
        return real.campaign(value);
    }

    @Override
    public Optional<Leadership> campaign(String value, Duration atMost) throws InterruptedException {
        return real.campaign(value, atMost);
    }

    @Override
    public CompletableFuture<Leadership> campaignAsync(String value) {
        return real.campaignAsync(value);
    }

    @Override
    public Candidacy runWhileLeader(String value, LeaderTask task) {
        return real.runWhileLeader(value, task);
    }

    @Override
    public Candidacy runWhileLeader(String value, RunOptions options, LeaderTask task) {
        return real.runWhileLeader(value, options, task);
    }

    @Override
    public Candidacy runEvery(String value, Duration interval, LeaderTask task) {
        return real.runEvery(value, interval, task);
    }

    @Override
    public Candidacy runEvery(String value, Duration interval, RunOptions options, LeaderTask task) {
        return real.runEvery(value, interval, options, task);
    }

    @Override
    public LeaderLatch latch(String value) {
        return real.latch(value);
    }

    @Override
    public CandidacyStatus status() {
        return real.status();
    }

    @Override
    public LeaderView view() {
        return real.view();
    }

    @Override
    public List<Queued> queue() {
        return real.queue();
    }

    @Override
    public Observing observe(LeaderListener listener) {
        return real.observe(listener);
    }

    @Override
    public LeaderResolver resolver(ResolverOptions options) {
        return real.resolver(options);
    }

    @Override
    public Eviction evict() {
        return real.evict();
    }

    @Override
    public Eviction evictByForce() {
        return real.evictByForce();
    }

    @Override
    public String toString() {
        return "TestElection '" + name() + "'";
    }
}
