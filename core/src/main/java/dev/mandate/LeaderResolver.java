package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/**
 * Finds the leader of one election, for those who call it. Follows the election while it is open, without standing, and
 * answers from what it knows. Comes from {@link Election#resolver()}. Safe for use from many threads.
 *
 * <pre>{@code
 * try (LeaderResolver invoices = client.election("invoices").resolver()) {
 *     Leader leader = invoices.await(Duration.ofSeconds(10)).orElseThrow();
 *     try {
 *         call(leader.value());
 *     } catch (IOException e) {
 *         invoices.failed(leader.token()); // the next await() asks the store again
 *     }
 * }
 * }</pre>
 *
 * <p><strong>What is not promised.</strong> The leader found may have been deposed since, and may not know it yet. Send
 * the {@link Leader#token() token} with a request where that matters, and let the callee refuse one that is not its
 * own.
 *
 * <p>Threads: nothing here holds a lock while it calls foreign code. Only {@link #await} blocks. Listeners are called
 * on the client's executor.
 */
public interface LeaderResolver extends AutoCloseable {
    /** The election's name. */
    String election();

    /**
     * The leader, if one is known: the store has confirmed it within {@link ResolverOptions#maxAge() maxAge}, and
     * nobody {@linkplain #failed reported} it since. Does not block, takes no lock and asks the store nothing.
     */
    Optional<Leader> now();

    /**
     * The leader, as {@link #now()}; if none is known, waits until one is: asks the store where what is known is too
     * old, and waits through a vacancy. Blocks. Do not call it on a thread that must not block.
     *
     * @param atMost how long; zero asks the store nothing
     * @return empty if no leader was known by then, or this resolver or its client is closed. {@link #view()} says
     *     whether the election is vacant or the store silent
     * @throws InterruptedException if interrupted
     */
    Optional<Leader> await(Duration atMost) throws InterruptedException;

    /**
     * What is known, with its age: {@link LeaderView.Unknown} if that is older than {@code maxAge}, or is a leader that
     * was {@linkplain #failed reported}. Does not block and asks the store nothing.
     */
    LeaderView view();

    /**
     * Reports that the leader with this token does not answer. The store is asked at once, and that term, and those
     * before it, are not given again on older knowledge: only an answer to a question that was asked after this call
     * can bring it back, as happens while a dead leader's lease is not over yet. What a watch tells is no answer.
     * Returns at once. Reports of a term that is over already change nothing.
     *
     * <p>Reports may come as fast as callers fail: the store is asked at most once every {@code retry}, and one
     * question at a time.
     *
     * @throws IllegalArgumentException if the token is of another election
     */
    void failed(FencingToken token);

    /**
     * Tells {@code listener} the present view, then every change: as {@link Election#observe}, but a leader that was
     * {@linkplain #failed reported} is told as {@link LeaderView.Unknown} until it is confirmed.
     *
     * @throws IllegalStateException if this resolver or its client is closed
     */
    Observing observe(LeaderListener listener);

    /**
     * Ends it: whoever waits in {@link #await} gets an empty answer, and listeners are told nothing more. Idempotent;
     * does not throw.
     */
    @Override
    void close();
}
