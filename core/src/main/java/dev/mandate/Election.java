package dev.mandate;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A name for which at most one candidate leads at a time. Safe for use from many threads.
 *
 * <p>A client campaigns at most once per election: {@code campaign} and {@code runWhileLeader} throw {@link
 * IllegalStateException} until an earlier candidacy of this client is over and every {@link Leadership} won through
 * {@code campaign} is closed.
 */
public interface Election {
    /** The name. */
    String name();

    /**
     * Campaigns until elected. Blocks. The candidacy ends with the term: to lead again, close the {@link Leadership}
     * and campaign again.
     *
     * @param value what to publish as the leader, at most the store's limit
     * @throws InterruptedException if interrupted; the candidacy is withdrawn and nothing is held
     * @throws IllegalArgumentException if the value is too long
     * @throws IllegalStateException if this client campaigns already, or is closed
     */
    Leadership campaign(String value) throws InterruptedException;

    /** Like {@link #campaign(String)}, for at most {@code atMost}; empty, and nothing held, if not elected by then. */
    Optional<Leadership> campaign(String value, Duration atMost) throws InterruptedException;

    /**
     * Like {@link #campaign(String)}, without blocking. Cancelling the future, or completing it in any other way
     * ({@code orTimeout}), withdraws the candidacy; after the win that has no effect: close the {@link Leadership}.
     * Dependent stages may do the work directly; if many of them block at once, further ones start some tenths of a
     * second late.
     */
    CompletableFuture<Leadership> campaignAsync(String value);

    /**
     * Campaigns without a task, and again after every loss, until closed: for code that does its work elsewhere and
     * asks {@link LeaderLatch#isLeader()}. Returns at once. Nobody stops that code when the leadership is lost: where
     * you can, prefer {@link #runWhileLeader} or {@link #runEvery}.
     */
    LeaderLatch latch(String value);

    /** {@link #runWhileLeader(String, RunOptions, LeaderTask)} with {@link RunOptions#DEFAULTS}. */
    Candidacy runWhileLeader(String value, LeaderTask task);

    /**
     * Runs {@code task} whenever, and only while, this client leads; campaigns again after every loss until closed.
     * Returns at once. {@link LeaderTask} says what happens when a task returns, throws or does not stop.
     */
    Candidacy runWhileLeader(String value, RunOptions options, LeaderTask task);

    /** {@link #runEvery(String, Duration, RunOptions, LeaderTask)} with {@link RunOptions#DEFAULTS}. */
    default Candidacy runEvery(String value, Duration interval, LeaderTask task) {
        return runEvery(value, interval, RunOptions.DEFAULTS, task);
    }

    /**
     * Runs {@code task} again and again while this client leads: at once when a term begins, then {@code interval}
     * after each run has ended. Runs never overlap, not even those of two terms. Campaigns again after every loss until
     * closed. Returns at once.
     *
     * <p>A loss interrupts the run or the pause. A run that throws ends the term, as {@link LeaderTask} says; the first
     * run of the next term follows after the cool-down. {@link RunOptions#withProgressTimeout} counts from the start of
     * each run; the pauses do not count. {@link RunOptions#withCampaignAgain()} changes nothing.
     *
     * @throws IllegalArgumentException if {@code interval} is negative or longer than 365 days
     */
    Candidacy runEvery(String value, Duration interval, RunOptions options, LeaderTask task);

    /**
     * Whether this client leads <em>at this instant</em>, with the reason. For code that polls "am I the leader?": the
     * answer is as good as {@link Leadership#isValid()}. Does not block or ask the store. Do not keep it.
     */
    CandidacyStatus status();

    /**
     * The last known state, with its age. Without a candidacy or observer on this election it asks the store and blocks
     * for at most {@code requestTimeout}. Returns {@link LeaderView.Unknown} if no answer came.
     *
     * @throws StoreSetupException if the store had to be asked and will not work until somebody changes something
     */
    LeaderView view();

    /**
     * Lists the candidates that wait for this election with {@link Order#ARRIVAL}, the next to try first. Leaves out
     * the leader and candidates that race. Blocks until the store has answered.
     *
     * <p>Where observers judge, a single listing cannot tell who is alive. A dead candidate stays listed: on SQL until
     * others in the queue delete its row, usually within 20 minutes; with {@code peers:} until the members forget it,
     * usually within two {@code maxLease}.
     *
     * @throws StoreSetupException if the store will not work until somebody changes something
     * @throws StoreUnavailableException if the store did not answer in time
     */
    List<Queued> queue();

    /**
     * Follows who leads, without campaigning. The listener first receives the present state. Costs a read every third
     * of a lease while the store's watch works, and one every {@code pollInterval} while it doesn't.
     */
    Observing observe(LeaderListener listener);

    /** {@link #resolver(ResolverOptions)} with {@link ResolverOptions#DEFAULTS}. */
    default LeaderResolver resolver() {
        return resolver(ResolverOptions.DEFAULTS);
    }

    /**
     * Finds the leader for programs that call it. Follows the election until closed, like {@link #observe} and at the
     * same cost. Keep one for as long as you call the leader: a new one knows nothing at first.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    LeaderResolver resolver(ResolverOptions options);

    /**
     * Asks the leader to stop: it drains, releases and cools down. No overlap. Blocks until the flag is written.
     *
     * @throws StoreUnavailableException if the store did not answer in time; the flag may be set
     */
    Eviction evict();

    /**
     * Frees the record now, if it still shows the same attempt. The former leader may believe that it leads for another
     * {@link Eviction#overlapAtMost()}. Blocks until done.
     *
     * @throws StoreUnavailableException if the store did not answer in time; the record may be free
     */
    Eviction evictByForce();
}
