package dev.mandate.internal;

import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.engine.TidyingMachine;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Does what a {@link TidyingMachine} wants for one service while this client has an instance of it. On the loop. */
final class Tidying {
    private final ClientRegistry registry;
    private final RecordKey service;
    private final TidyingMachine machine;
    private final LongSupplier keptSinceNanos;
    private Timers.@Nullable Timer next;
    private boolean isEnded;

    /** {@code keptSinceNanos}: see {@link TidyingMachine#kept}. */
    Tidying(ClientRegistry registry, RecordKey service, LongSupplier keptSinceNanos, Entropy entropy, Now now) {
        this.registry = registry;
        this.service = service;
        this.keptSinceNanos = keptSinceNanos;
        this.machine = new TidyingMachine(registry.client().traits().expiry(), registry.incarnation(), entropy, now);
        sleep();
    }

    private void sleep() {
        if (next != null) {
            next.cancel();
        }
        if (!isEnded) {
            next = registry.client()
                    .loop()
                    .at(machine.wakeAtNanos(), now -> perform(machine().proceed(now), now));
        }
    }

    private TidyingMachine machine() {
        machine.kept(keptSinceNanos.getAsLong());
        return machine;
    }

    private void perform(TidyingMachine.@Nullable Request request, Now now) {
        if (isEnded) {
            return;
        }
        if (request instanceof TidyingMachine.ListPage list) {
            this.<Page<Observation>>ask(
                    now, Verb.LIST, call -> registry.store().list(service, list.from(), call), (page, then) -> {
                        perform(machine().listed(page, then), then);
                    });
        } else if (request instanceof TidyingMachine.Release release) {
            write(
                    now,
                    Verb.RELEASE,
                    call -> registry.store().release(release.basis().key(), release.basis(), call));
        } else if (request instanceof TidyingMachine.Erase erase) {
            write(now, Verb.ERASE, call -> registry.erase(erase.basis(), call));
        } else {
            sleep();
        }
    }

    private void write(Now now, Verb verb, Function<CallContext, CompletionStage<WriteOutcome>> call) {
        ask(now, verb, call, (outcome, then) -> perform(machine().wrote(outcome, then), then));
    }

    private <T> void ask(
            Now now, Verb verb, Function<CallContext, CompletionStage<T>> call, BiConsumer<T, Now> answered) {
        registry.call(now, verb, call, new StoreCalls.Outcome<>() {
            @Override
            public void answered(T answer, Now then) {
                answered.accept(answer, then);
            }

            @Override
            public void failed(Throwable why, Now then) {
                machine.failed();
                sleep();
            }
        });
    }

    /** An event failed half way: gives up what was under way. */
    void mend() {
        machine.failed();
        sleep();
    }

    void end() {
        isEnded = true;
        if (next != null) {
            next.cancel();
        }
    }
}
