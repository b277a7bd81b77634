package dev.mandate.support;

import dev.mandate.spi.CallContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a store. The first of {@link #answer} and {@link #fail} counts. Thread-safe; nothing blocks.
 *
 * @param <A> its answer
 */
public final class PendingCall<A> {
    private final Calls calls;
    private final Object what;
    private final CallContext context;
    private final Consumer<PendingCall<A>> request;
    private final CompletableFuture<A> answer = new CompletableFuture<>();
    private volatile @Nullable Future<?> limit;
    private volatile @Nullable Runnable cancel;
    private volatile boolean isRepeated;

    /** The calls of a store, of which this is one. */
    interface Calls {
        Executor workers();

        boolean isClosed();

        /** The fault of a call that failed; never throws. */
        RuntimeException fault(Object what, Throwable thrown);

        /** Why a call ends because the store is closed. */
        RuntimeException closed(Object what);
    }

    PendingCall(Calls calls, Object what, CallContext context, Consumer<PendingCall<A>> request) {
        this.calls = calls;
        this.what = what;
        this.context = context;
        this.request = request;
    }

    /** Returns the future that the caller gets; {@code end} runs when it is done, however that came. */
    CompletableFuture<A> begin(Runnable end) {
        var unused = answer.whenComplete((value, failure) -> {
            Future<?> timer = limit;
            if (timer != null) {
                timer.cancel(false);
            }
            try {
                cancelled();
            } finally {
                end.run();
            }
        });
        return answer;
    }

    /** Sets the timer; false if the threads are closed, which would leave the call without an end. */
    boolean limit(StoreThreads threads) {
        Future<?> timer = threads.timed(this::late, context.remaining().toNanos());
        limit = timer;
        if (timer != null && answer.isDone()) {
            timer.cancel(false);
        }
        return timer != null;
    }

    /**
     * Sends the request, unless the call is over. After a pause of the process this may run before the timer does: a
     * request sent too late could renew a lease that nobody leads by.
     */
    public void send() {
        if (answer.isDone()) {
            return;
        }
        if (calls.isClosed()) {
            closed();
            return;
        }
        if (context.isOver()) {
            late();
            return;
        }
        try {
            request.accept(this);
        } catch (Throwable e) {
            fail(e);
            if (e instanceof Error error) {
                throw error;
            }
        }
    }

    /** How long the call may take. */
    public CallContext context() {
        return context;
    }

    /** Whether it was answered, has failed, or was cancelled. */
    public boolean isOver() {
        return answer.isDone();
    }

    /** Ends the call with its answer; ignored if it is over. After the deadline, the answer counts as none. */
    public void answer(A value) {
        if (context.isOver()) {
            late();
        } else {
            answer.complete(value);
        }
    }

    /** Ends the call with the fault of that failure; ignored if it is over. */
    public void fail(Throwable thrown) {
        if (!answer.isDone()) {
            answer.completeExceptionally(calls.fault(what, thrown));
        }
    }

    private void late() {
        fail(new TimeoutException());
    }

    void closed() {
        answer.completeExceptionally(calls.closed(what));
    }

    /** Cancels the request under way when the call ends, which may be now; idempotent. Replaces the former one. */
    public void whenOver(Runnable cancellation) {
        cancel = cancellation;
        if (answer.isDone()) {
            cancelled();
        }
    }

    private void cancelled() {
        Runnable last = cancel;
        if (last != null) {
            last.run();
        }
    }

    /**
     * The server rejected the credentials, so it has executed nothing: sends the request once more, on a worker, if
     * they have changed. A failure to read new credentials does not hide the rejection of the old.
     *
     * @param haveChanged whether there are others now, as {@link RotatingSecret#rejectedAside} says; asked for once
     * @param rejected ends the call if there are none
     */
    public void again(Supplier<? extends CompletionStage<Boolean>> haveChanged, Runnable rejected) {
        if (isRepeated) {
            rejected.run();
            return;
        }
        isRepeated = true;
        var unused = haveChanged
                .get()
                .exceptionally(failure -> false)
                .thenAcceptAsync(
                        changed -> {
                            if (changed) {
                                send();
                            } else {
                                rejected.run();
                            }
                        },
                        calls.workers());
    }
}
