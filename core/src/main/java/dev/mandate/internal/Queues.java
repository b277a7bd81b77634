package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.StoreSetupException;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.QueueEvent;
import dev.mandate.engine.Term;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The queues in which this client waits, as the machine demands: each one's watch, its pages, and what the dead have
 * left there. On the loop alone, unless stated otherwise.
 */
final class Queues {
    private final ClientContext client;
    private final ElectionStore store;
    private final TimedCalls calls;
    private final Entropy entropy;

    /** Used on the loop, and once more by the thread that gives up on a hanging loop. */
    private final Map<Long, Followed> followed = new ConcurrentHashMap<>();

    /** This client's places, by queue. */
    private final Map<RecordKey, Kept> kept = new ConcurrentHashMap<>();

    private record Kept(Term term, long sinceNanos) {}

    Queues(ClientContext client, TimedCalls calls, Entropy entropy) {
        this.client = client;
        this.store = client.store();
        this.calls = calls;
        this.entropy = entropy;
    }

    /** What the machine wants. */
    void perform(QueueAction action, Now now) {
        if (action instanceof QueueAction.Follow follow) {
            Followed added = new Followed(follow);
            followed.put(follow.number(), added);
            added.start(now);
        } else if (action instanceof QueueAction.Leave leave) {
            Followed left = followed.remove(leave.number());
            if (left != null) {
                left.close();
            }
        } else if (action instanceof QueueAction.ListPage page) {
            ask(page, now);
        } else if (action instanceof QueueAction.Fault fault && fault.message() != null) {
            trouble("can't be listed", fault.prefix(), fault.message());
        }
    }

    /** The machine's news of this client's place in a queue. */
    void announced(ElectionAction announcement, Now now) {
        if (announcement instanceof ElectionAction.Begin begin) {
            kept.put(prefix(begin.key()), new Kept(begin.term(), now.monotonicNanos()));
        } else if (announcement instanceof ElectionAction.End end) {
            kept.remove(prefix(end.key()));
        } else if (announcement instanceof ElectionAction.Fault fault && fault.message() != null) {
            trouble("has no place for this candidate", fault.key(), fault.message());
        }
    }

    private static RecordKey prefix(RecordKey place) {
        return RecordKey.queue(place.segments().get(0));
    }

    private long keptSinceNanos(RecordKey prefix) {
        Kept place = kept.get(prefix);
        if (place == null || place.term().remainingNanos(client.host().now()) <= 0) {
            return Long.MAX_VALUE;
        }
        return place.sinceNanos();
    }

    /** Logged once until it changes, so not as an outage, whose lines may be used up. */
    private void trouble(String what, RecordKey below, String message) {
        client.journal()
                .warn(
                        "the queue of election '"
                                + Leader.printable(below.segments().get(0)) + "' " + what + ", so it tries last: "
                                + message,
                        null);
    }

    private void ask(QueueAction.ListPage asked, Now now) {
        client.loop()
                .calls()
                .send(
                        Verb.LIST,
                        now,
                        asked.timeoutNanos(),
                        call -> store.list(asked.prefix(), asked.from(), call),
                        new StoreCalls.Outcome<Page<Observation>>() {
                            @Override
                            public void answered(Page<Observation> page, Now then) {
                                tell(new QueueEvent.Listed(asked.number(), asked.request(), page), then);
                            }

                            @Override
                            public void failed(Throwable why, Now then) {
                                String fault =
                                        why instanceof StoreSetupException ? String.valueOf(why.getMessage()) : null;
                                tell(new QueueEvent.NotListed(asked.number(), asked.request(), fault), then);
                            }
                        });
    }

    private void tell(QueueEvent event, Now now) {
        Loop loop = client.loop();
        loop.act(loop.machine().on(event, now), now);
    }

    /** The client is closed. */
    void finished() {
        followed.values().forEach(Followed::close);
        followed.clear();
    }

    /** One queue. */
    private final class Followed implements Watch.Listener {
        private final long number;
        private final RecordKey prefix;
        private final Watch watch;
        /** Hints wait for the loop. */
        private final Signal wake = new Signal(client.loop(), now -> look());

        private boolean isClosed;
        private Timers.@Nullable Timer timer;
        private @Nullable Tidying tidying;

        Followed(QueueAction.Follow asked) {
            this.number = asked.number();
            this.prefix = asked.prefix();
            this.watch = new Watch(store, prefix, client.timing(), wake::give, client.journal(), client.counters());
        }

        void start(Now now) {
            StoreTraits traits = client.traits();
            if (traits.leavesVacant() || traits.expiry() == Expiry.OBSERVER_JUDGES) {
                tidying = new Tidying(client, calls, prefix, () -> keptSinceNanos(prefix), entropy, now);
            }
            watch.open(now);
            tell(new QueueEvent.Watched(number, watch.isOpen()), now);
            rearm(watch.wakeAtNanos());
        }

        /** Delivers and reschedules, even after a failure; not at once then, which would fail at once. */
        private void look() {
            if (isClosed) {
                return;
            }
            long earliestNanos = client.host().nanos() + client.timing().retryIntervalNanos();
            boolean isWell = false;
            try {
                watch.deliver(this, client.clock());
                tell(
                        new QueueEvent.Watched(number, watch.isOpen()),
                        client.clock().get());
                isWell = true;
            } finally {
                rearm(isWell ? watch.wakeAtNanos() : earliestNanos);
            }
        }

        private void rearm(long wakeAtNanos) {
            cancel();
            if (!isClosed && wakeAtNanos != Long.MAX_VALUE) {
                timer = client.loop().at(wakeAtNanos, then -> look());
            }
        }

        @Override
        public void hinted(RecordKey key, Observation seen, Now now) {
            tell(new QueueEvent.Hinted(number, seen), now);
        }

        @Override
        public void gap(Now now) {
            tell(new QueueEvent.Gap(number), now);
        }

        void close() {
            isClosed = true;
            cancel();
            watch.close();
            if (tidying != null) {
                tidying.end();
            }
        }

        private void cancel() {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }
    }
}
