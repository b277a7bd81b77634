package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.engine.Action;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.Now;
import dev.mandate.engine.SweepAction;
import dev.mandate.engine.SweepFault;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A prefix that a client follows: its machine, watch, listings and timers. On the loop, unless stated otherwise. */
final class FollowedPrefix<T> implements Watch.Listener {
    /** Receives what is found. */
    interface Listener<T> {
        /** The list has changed. */
        void changed(FollowingAction.Changed<T> news);

        /** The machine has taken steps; changes were reported before. */
        void stepped(FollowingMachine<T> machine);

        /** An event failed half way: the machine's knowledge counts, not what was reported of it. */
        void mend(FollowingMachine<T> machine);

        /** Whether there are more records below the prefix than are followed. */
        void full(boolean isFull);

        /** Listings are refused until somebody changes something; null: they work again. */
        void fault(@Nullable String message);
    }

    private final ClientContext client;
    private final ElectionStore store;
    private final FollowingMachine<T> machine;
    private final Listener<T> listener;
    private final Watch watch;
    /** Hints wait for the loop. */
    private final Signal wake;

    private boolean isClosed;
    private Timers.@Nullable Timer timer;
    private long wakeAtNanos = Long.MAX_VALUE;

    FollowedPrefix(ClientContext client, FollowingMachine<T> machine, Listener<T> listener) {
        this.client = client;
        this.store = client.store();
        this.machine = machine;
        this.listener = listener;
        this.wake = new Signal(client.loop(), now -> look());
        this.watch =
                new Watch(store, machine.prefix(), client.timing(), wake::give, client.journal(), client.counters());
    }

    void start(Now now) {
        if (isClosed) {
            return;
        }
        step(() -> {
            watch.open(now);
            act(machine.onWatch(watch.isOpen(), now), now);
            act(machine.start(now), now);
        });
    }

    /** Stops following; nothing is told afterwards. Idempotent. */
    void close() {
        isClosed = true;
        watch.close();
        cancel();
    }

    // ---- what happens ----

    private void look() {
        if (isClosed) {
            return;
        }
        step(() -> {
            watch.deliver(this, client.clock());
            Now now = client.clock().get();
            act(machine.onWatch(watch.isOpen(), now), now);
            act(machine.tick(now), now);
        });
    }

    /** Runs {@code events} and reschedules, even if they fail; not at once then, which would fail at once. */
    private void step(Runnable events) {
        long nowNanos = client.host().nanos();
        long earliestNanos = nowNanos + client.timing().retryIntervalNanos();
        try {
            events.run();
            listener.stepped(machine);
            earliestNanos = nowNanos;
        } finally {
            rearm(earliestNanos);
        }
    }

    /** An event failed half way. */
    void mend() {
        if (!isClosed) {
            listener.mend(machine);
            cancel();
            rearm(client.host().nanos() + client.timing().retryIntervalNanos());
        }
    }

    @Override
    public void hinted(RecordKey key, Observation seen, Now now) {
        act(machine.onHint(seen, now), now);
    }

    @Override
    public void gap(Now now) {
        act(machine.onGap(now), now);
    }

    // ---- acting ----

    @SuppressWarnings("unchecked")
    private void act(List<Action> actions, Now now) {
        for (Action action : actions) {
            if (action instanceof SweepAction page) {
                ask(page, now);
            } else if (action instanceof FollowingAction.Look look) {
                ask(look, now);
            } else if (action instanceof FollowingAction.Changed<?> news) {
                // The machine's own type.
                listener.changed((FollowingAction.Changed<T>) news);
            } else if (action instanceof FollowingAction.Full full) {
                listener.full(full.isFull());
            } else if (action instanceof SweepFault fault) {
                listener.fault(fault.message());
            }
        }
    }

    private void ask(SweepAction asked, Now now) {
        client.loop()
                .calls()
                .send(
                        Verb.LIST,
                        now,
                        asked.timeoutNanos(),
                        call -> store.list(machine.prefix(), asked.from(), call),
                        new StoreCalls.Outcome<Page<Observation>>() {
                            @Override
                            public void answered(Page<Observation> page, Now then) {
                                took(() -> machine.listed(asked.request(), page, then), then);
                            }

                            @Override
                            public void failed(Throwable why, Now then) {
                                String fault =
                                        why instanceof StoreSetupException ? String.valueOf(why.getMessage()) : null;
                                took(() -> machine.notListed(asked.request(), fault, then), then);
                            }
                        });
    }

    private void ask(FollowingAction.Look asked, Now now) {
        client.loop()
                .calls()
                .send(
                        Verb.READ,
                        now,
                        asked.timeoutNanos(),
                        call -> store.read(asked.key(), call),
                        new StoreCalls.Outcome<Observation>() {
                            @Override
                            public void answered(Observation seen, Now then) {
                                took(() -> machine.looked(asked.request(), seen, then), then);
                            }

                            @Override
                            public void failed(Throwable why, Now then) {
                                took(() -> machine.notLooked(asked.request(), then), then);
                            }
                        });
    }

    private void took(Supplier<List<Action>> answer, Now now) {
        if (!isClosed) {
            step(() -> act(answer.get(), now));
        }
    }

    // ---- when ----

    /** A timer that fires early costs one look, so only one that would fire late is replaced. */
    private void rearm(long earliestNanos) {
        long wanted = Math.max(earliestNanos, Math.min(machine.wakeAtNanos(), watch.wakeAtNanos()));
        if (wanted < wakeAtNanos) {
            cancel();
            timer = client.loop().at(wanted, now -> {
                timer = null;
                wakeAtNanos = Long.MAX_VALUE;
                look();
            });
            wakeAtNanos = wanted;
        }
    }

    private void cancel() {
        Timers.Timer set = timer;
        if (set != null) {
            set.cancel();
        }
        timer = null;
        wakeAtNanos = Long.MAX_VALUE;
    }
}
