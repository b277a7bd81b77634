package dev.mandate.support;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The pending calls of an open store. Each waits for its turn, ends by its deadline, and is answered once: by its
 * answer, its failure, its deadline, its caller, who may cancel the future, or {@link #close}, whichever comes first.
 * What comes later never counts. Thread-safe; nothing blocks.
 */
public final class StoreCalls implements AutoCloseable {
    private final String store;
    private final StoreThreads threads;
    private final Executor sender;
    private final CallGate gate;
    private final BiFunction<Object, Throwable, ? extends RuntimeException> fault;
    private final Set<PendingCall<?>> open = ConcurrentHashMap.newKeySet();
    private final PendingCall.Calls owner = new Owner();
    private volatile boolean closed;

    /** When a call is sent. */
    public enum Turn {
        /** After the calls that wait already. */
        ORDINARY,
        /** Before all ordinary ones, as renewals must be. */
        URGENT,
        /** Now; takes no place of the gate. For calls that wait for the server, or are few. */
        AT_ONCE
    }

    /**
     * No calls yet.
     *
     * @param store what messages begin with
     * @param threads has the timer that watches the deadlines; to be closed after this
     * @param sender sends the requests; {@code Runnable::run} for the thread that calls, or ended another call
     * @param gate limits how many are under way, and how many wait
     * @param fault makes the exception of a failed call, given what it was for; is also given an
     *     {@link java.util.concurrent.TimeoutException} for a missed deadline. Exceptions of ours must pass unchanged
     */
    public StoreCalls(
            String store,
            StoreThreads threads,
            Executor sender,
            CallGate gate,
            BiFunction<Object, Throwable, ? extends RuntimeException> fault) {
        this.store = store;
        this.threads = threads;
        this.sender = sender;
        this.gate = gate;
        this.fault = fault;
    }

    /**
     * Makes a call.
     *
     * @param what its {@code toString} goes into messages, like "reading election/x"
     * @param send sends the request, on the sender; does not block. Never runs after the deadline, and runs again
     *     only if it asks for that
     * @return the answer. To cancel it cancels the request
     */
    public <A> CompletableFuture<A> call(Object what, Turn turn, CallContext context, Consumer<PendingCall<A>> send) {
        PendingCall<A> call = new PendingCall<>(owner, what, context, send);
        CallGate.Ticket ticket = gate.ticket(() -> sender.execute(call::send), turn == Turn.URGENT);
        open.add(call);
        CompletableFuture<A> answer = call.begin(() -> {
            open.remove(call);
            ticket.close();
        });
        if (closed || !call.limit(threads)) {
            call.closed();
        } else if (turn == Turn.AT_ONCE) {
            sender.execute(call::send);
        } else if (!ticket.enter()) {
            call.fail(new StoreUnavailableException(
                    store + ": " + what + ": not sent, too many calls are waiting already"));
        }
        return answer;
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    /** Ends all pending calls; later ones fail at once, both with {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        closed = true;
        open.forEach(PendingCall::closed);
    }

    private final class Owner implements PendingCall.Calls {
        @Override
        public Executor workers() {
            return threads.workers();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public RuntimeException fault(Object what, Throwable thrown) {
            try {
                return fault.apply(what, thrown);
            } catch (RuntimeException e) {
                // The call must end all the same.
                return e;
            }
        }

        @Override
        public RuntimeException closed(Object what) {
            return new IllegalStateException(store + ": " + what + ": the store is closed");
        }
    }
}
