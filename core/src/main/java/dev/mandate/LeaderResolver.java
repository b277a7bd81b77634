package dev.mandate;

import java.time.Duration;
import java.util.Optional;

/**
 * Finds the leader of one election, for programs that call it. Follows the election while open, without campaigning,
 * and answers from what it knows. Comes from {@link Election#resolver()}. Safe for use from many threads.
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
 * <p><strong>What is not promised.</strong> The leader found may have been deposed since, and may not know it yet.
 * Where that matters, send the {@link Leader#token() token} with each request, and let the callee reject a token
 * that is not its own.
 *
 * <p>Threads: holds no lock while it calls your code. Only {@link #await} blocks. Listeners are called on the
 * client's executor.
 */
public interface LeaderResolver extends AutoCloseable {
    /** The election's name. */
    String election();

    /**
     * The leader, if known: the store has confirmed it within {@link ResolverOptions#maxAge() maxAge}, and nobody has
     * {@linkplain #failed reported} it since. Does not block, take a lock or ask the store.
     */
    Optional<Leader> now();

    /**
     * The leader, as {@link #now()}. If none is known, asks the store where its knowledge is too old, and waits through
     * a vacancy until a leader is known. Blocks. Do not call it on a thread that must not block.
     *
     * @param atMost how long; zero asks the store nothing
     * @return empty if no leader was known by then, or this resolver or its client is closed. {@link #view()} says
     *     whether the election is vacant or the store silent
     * @throws InterruptedException if interrupted
     */
    Optional<Leader> await(Duration atMost) throws InterruptedException;

    /**
     * What is known, with its age: {@link LeaderView.Unknown} if that is older than {@code maxAge}, or is a leader that
     * was {@linkplain #failed reported}. Does not block or ask the store.
     */
    LeaderView view();

    /**
     * Reports that the leader with this token does not answer. The store is asked at once. That term and all before it
     * are not returned again on older knowledge: only an answer to a question asked after this call can bring the term
     * back, which happens while a dead leader's lease is not over yet. A hint is no answer. Returns at once. Reports of
     * a term that is already over change nothing.
     *
     * <p>Reports may come as fast as callers fail: the store is asked at most once every {@code retryInterval}, one
     * question at a time.
     *
     * @throws IllegalArgumentException if the token is of another election
     */
    void failed(FencingToken token);

    /**
     * Gives {@code listener} the present view, then every change, like {@link Election#observe}. Until it is confirmed,
     * a leader that was {@linkplain #failed reported} appears as {@link LeaderView.Unknown}.
     *
     * @throws IllegalStateException if this resolver or its client is closed
     */
    Observing observe(LeaderListener listener);

    /**
     * Closes this resolver: waiting calls of {@link #await} return empty, and listeners are not called any more.
     * Idempotent; does not throw.
     */
    @Override
    void close();
}
