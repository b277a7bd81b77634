package dev.mandate;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A name for which at most one candidate leads at a time. Safe for use from many threads.
 *
 * <p>A client stands at most once per election: {@code campaign} and {@code runWhileLeader} throw {@link IllegalStateException} while an
 * earlier candidacy of this client stands, or while a {@link Leadership} won through {@code campaign} has not been closed.
 */
public interface Election {
    /** The name. */
    String name();

    /**
     * Stands until elected. Blocks. The candidacy ends with the term: to lead again, close the {@link Leadership} and campaign again.
     *
     * @param value what to publish as the leader, at most the store's limit
     * @throws InterruptedException if interrupted; the candidacy is withdrawn and nothing is held
     * @throws IllegalArgumentException if the value is too long
     * @throws IllegalStateException if this client stands already, or is closed
     */
    Leadership campaign(String value) throws InterruptedException;

    /** Like {@link #campaign(String)}, for at most {@code atMost}; empty if not elected by then. Nothing is held then. */
    Optional<Leadership> campaign(String value, Duration atMost) throws InterruptedException;

    /**
     * Like {@link #campaign(String)}, without blocking. Cancelling the stage's future withdraws the candidacy. What depends on the
     * stage may do the work on the spot; where many such block at once, further ones begin some tenths of a second late.
     */
    CompletionStage<Leadership> campaignAsync(String value);

    /** {@link #runWhileLeader(String, RunOptions, LeaderTask)} with {@link RunOptions#DEFAULTS}. */
    Candidacy runWhileLeader(String value, LeaderTask task);

    /**
     * Runs {@code task} whenever, and only while, this client leads; stands again after every loss until closed. Returns at once. See {@link
     * LeaderTask} for what a task that returns, throws or does not stop means.
     */
    Candidacy runWhileLeader(String value, RunOptions options, LeaderTask task);

    /**
     * Whether this client leads <em>at this instant</em>, with the reason beside it. For code that polls "am I the leader?". Answered by
     * {@link Leadership#isValid()}, never by a flag; does not block or ask the store. Do not keep the answer.
     */
    Standing standing();

    /**
     * The last known state, with its age. Without a candidacy or observer on this election it is asked from the store, which blocks for at
     * most the answer time-out, and gives {@link LeaderView.Unknown} if no answer came.
     *
     * @throws StoreSetupException if the store had to be asked and will not work until somebody changes something
     */
    LeaderView leader();

    /**
     * Lists the candidates that wait for this election by {@link Order#ARRIVAL}, the one that tries next in front.
     * Those that race are not among them, and the leader is not. Blocks until the store answered.
     *
     * <p>Where observers judge, a single listing cannot tell who is alive. A candidate that died stays listed: on SQL
     * until others in the queue have deleted its row, usually within 20 minutes; with {@code peers:} until the members
     * forget it, usually within two {@code maxLease}.
     *
     * @throws StoreSetupException if the store will not work until somebody changes something
     * @throws StoreUnavailableException if the store did not answer in time
     */
    List<Queued> queue();

    /**
     * Follows who leads, without standing. The listener is first told the present state. Costs a read every third of a
     * lease while the store's watch tells of changes, and one every {@code poll} while it doesn't.
     */
    Observing observe(LeaderListener listener);

    /** {@link #resolver(ResolverOptions)} with {@link ResolverOptions#DEFAULTS}. */
    default LeaderResolver resolver() {
        return resolver(ResolverOptions.DEFAULTS);
    }

    /**
     * Finds the leader for those who call it. Follows the election, as {@link #observe} does and at the same cost, until
     * closed. Keep one for as long as you call the leader: a new one knows nothing at first.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    LeaderResolver resolver(ResolverOptions options);

    /**
     * Asks the leader to stop: it drains, releases and cools down. No overlap. Blocks until the flag is written.
     *
     * @throws StoreUnavailableException if the store did not answer in time; the flag may have been set
     */
    Eviction evict();

    /**
     * Frees the record now, guarded by the attempt it shows. The former leader may go on believing for as long as {@link
     * Eviction#overlapAtMost()} says. Blocks until done.
     *
     * @throws StoreUnavailableException if the store did not answer in time; the record may have been freed
     */
    Eviction evictByForce();
}
