package dev.mandate.nats;

import dev.mandate.spi.CallContext;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many requests be under way and no more; the others wait their turn here and are given up if that does not come in time. What is given up
 * here was never sent, so it may be tried again on the same revision: a server that is slower than its clients for a while does useful work only,
 * and does not refuse tomorrow what it could not do today.
 */
final class Window {
    /** Enough for a server that is far away, few enough for one that does five hundred a second. */
    static final int UNDER_WAY_MAX = 256;

    private static final int READS_EVERY = 4;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private final Queue<Waiting<?>> writes = new ArrayDeque<>();
    private final Queue<Waiting<?>> reads = new ArrayDeque<>();
    private int underWay;
    private int turns;

    private record Waiting<T>(Supplier<CompletableFuture<T>> send, CallContext call, CompletableFuture<T> answer) {}

    /** Sends it, now or when it is its turn. */
    <T> CompletableFuture<T> enter(Lane lane, CallContext call, Supplier<CompletableFuture<T>> send) {
        CompletableFuture<T> answer;
        synchronized (lock) {
            if (underWay >= UNDER_WAY_MAX) {
                answer = new CompletableFuture<>();
                (lane == Lane.WRITES ? writes : reads).add(new Waiting<>(send, call, answer));
                return answer;
            }
            underWay++;
        }
        answer = send.get();
        return answer.whenComplete((value, failure) -> leave());
    }

    private void leave() {
        synchronized (lock) {
            underWay--;
        }
        for (Waiting<?> next = next(); next != null; next = next()) {
            send(next);
        }
    }

    /** Who may go, with its place taken; null if nobody waits, or no place is free. */
    private @Nullable Waiting<?> next() {
        synchronized (lock) {
            while (underWay < UNDER_WAY_MAX && !(writes.isEmpty() && reads.isEmpty())) {
                boolean isRead = writes.isEmpty() || !reads.isEmpty() && ++turns % READS_EVERY == 0;
                Waiting<?> next = (isRead ? reads : writes).remove();
                underWay++;
                return next;
            }
            return null;
        }
    }

    private <T> void send(Waiting<T> next) {
        if (next.call().isOver()) {
            synchronized (lock) {
                underWay--;
            }
            next.answer().completeExceptionally(new TimeoutException("it was not sent: too much is under way"));
            return;
        }
        var unused = next.send().get().whenComplete((value, failure) -> {
            if (failure == null) {
                next.answer().complete(value);
            } else {
                next.answer().completeExceptionally(failure);
            }
            leave();
        });
    }
}
