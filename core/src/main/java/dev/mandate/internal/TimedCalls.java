package dev.mandate.internal;

import dev.mandate.engine.Now;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Calls of the store that no machine times: a call without an answer in time has failed. On the loop alone. */
final class TimedCalls {
    private final ClientContext client;

    TimedCalls(ClientContext client) {
        this.client = client;
    }

    ElectionStore store() {
        return client.store();
    }

    /** Calls the store; {@code outcome} is told once. */
    <T> void call(Now now, Verb verb, Function<CallContext, CompletionStage<T>> call, StoreCalls.Outcome<T> outcome) {
        long timeoutNanos = client.timing().requestTimeoutNanos();
        StoreCalls.Outcome<T> once = new StoreCalls.Outcome<>() {
            private boolean isOver;
            private final Timers.Timer timeout = client.loop()
                    .at(now.monotonicNanos() + timeoutNanos, later -> failed(new SilentException(), later));

            @Override
            public void answered(T answer, Now then) {
                if (isFirst()) {
                    outcome.answered(answer, then);
                }
            }

            @Override
            public void failed(Throwable why, Now then) {
                if (isFirst()) {
                    outcome.failed(why, then);
                }
            }

            private boolean isFirst() {
                boolean isFirst = !isOver;
                isOver = true;
                timeout.cancel();
                return isFirst;
            }
        };
        client.loop().calls().send(verb, now, timeoutNanos, call, once);
    }

    CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return StoreCalls.erase(client.store(), basis, call);
    }

    /** No answer came. */
    private static final class SilentException extends Exception {
        private static final long serialVersionUID = 1L;

        SilentException() {
            super("no answer", null, false, false);
        }
    }
}
