package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Candidates that queue for one election in one store. A request takes half a millisecond to the store and its answer
 * another half; hints take as long. Nothing is drawn by chance.
 */
final class Lineup {
    static final RecordKey KEY = RecordKey.election("jobs");
    static final RecordKey QUEUE = RecordKey.queue("jobs");
    static final Duration L = Duration.ofSeconds(10);
    static final LeaseTiming TIMING =
            LeaseTiming.of(L, 1.1).coolDown(Duration.ZERO).splay(Duration.ZERO).build();
    private static final long HALF = 500_000;
    private static final long START_MILLIS = 1_767_225_600_000L;

    private record Happening(long atNanos, long order, Runnable what) {}

    final StoreKind kind;
    final StoreTraits traits;
    final TestServer server;
    final List<Actor> actors = new ArrayList<>();
    /** All that was asked of the store, with whoever asked. */
    final List<String> asked = new ArrayList<>();

    private final PriorityQueue<Happening> happenings =
            new PriorityQueue<>(Comparator.comparingLong(Happening::atNanos).thenComparingLong(Happening::order));
    private long order;
    private long nanos = 5_000_000_000L;
    /** Watches tell of nothing. */
    boolean isDeaf;
    /** Whoever lists a queue is told that it may not. */
    boolean isForbidden;
    /** Requests of these kinds take effect, and the answers of so many that come next stay out. */
    final Map<Class<? extends Action>, Integer> answersToLose = new HashMap<>();
    /** So many requests of these kinds that come next never arrive. */
    final Map<Class<? extends Action>, Integer> requestsToLose = new HashMap<>();

    Lineup(StoreKind kind, ModelOptions.Token token) {
        this.kind = kind;
        this.traits = kind.traits()
                .withWatch(true)
                .withOrderedTerms(token == ModelOptions.Token.REVISION)
                .withLeftovers(kind != StoreKind.REMOVES_SESSION);
        this.server = new TestServer(traits, ModelOptions.DEFAULT.with(token));
        this.server.pageItems = 1_000;
    }

    /** A candidate, and what its process is like. */
    final class Actor {
        final int index;
        final Id incarnation;
        final CandidateMachine machine;
        final List<Action> said = new ArrayList<>();
        private final Map<Long, RecordKey> followed = new HashMap<>();
        private boolean isDead;
        private @Nullable Term term;

        Actor(int index, boolean queues) {
            this.index = index;
            this.incarnation = new Id(index, 1);
            ElectionSettings elections = new ElectionSettings(
                    "c" + index,
                    incarnation,
                    TIMING,
                    traits.expiry(),
                    traits.leaseScope(),
                    TIMING.leaseNanos(),
                    0,
                    Settle.NEVER,
                    0,
                    OverrunPolicy.RELEASE,
                    false);
            LeaseTiming own = TIMING.registering(L);
            ElectionSettings registrations = elections.registrations(own, own.leaseNanos());
            this.machine = new CandidateMachine(
                    new CandidateSettings(
                            queues ? elections.queueing(QueueOrder.of(traits)) : elections,
                            registrations,
                            registrations.places(traits.leavesVacant())),
                    new SteadyEntropy() {
                        @Override
                        public long nextLong() {
                            return index * 1_000_000L + super.nextLong();
                        }
                    });
            take(machine.onWatch(true, now()));
        }

        Now now() {
            // Whoever comes later believes that it is earlier.
            return new Now(nanos, nanos, START_MILLIS + nanos / 1_000_000 - index * 1_000_000L);
        }

        Actor campaigns() {
            take(machine.on(KEY, new ElectionEvent.Campaign("v"), now()));
            return this;
        }

        void withdraws() {
            take(machine.on(KEY, new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now()));
        }

        void resigns() {
            Term led = ((Role.Leading) machine.role(KEY)).term();
            take(machine.on(KEY, new ElectionEvent.Resign(led.number(), EndReason.RESIGNED), now()));
        }

        void observes() {
            take(machine.on(KEY, new ElectionEvent.Observe(true), now()));
        }

        void closes() {
            take(machine.close(now()));
        }

        /** Its process is gone. */
        void dies() {
            isDead = true;
        }

        boolean leads() {
            return !isDead && machine.role(KEY) instanceof Role.Leading;
        }

        boolean isWaiting() {
            return machine.role(place()) instanceof Role.Leading;
        }

        boolean follows() {
            return !followed.isEmpty();
        }

        RecordKey place() {
            return RecordKey.place("jobs", incarnation);
        }

        private void take(List<Action> actions) {
            for (Action action : List.copyOf(actions)) {
                said.add(action);
                if (action instanceof ElectionAction.Begin begin && begin.key().equals(KEY)) {
                    term = begin.term();
                } else if (action instanceof ElectionAction.End end && end.key().equals(KEY)) {
                    later(
                            0,
                            () -> take(machine.on(
                                    KEY,
                                    new ElectionEvent.WorkStopped(end.term().number()),
                                    now())));
                } else if (action instanceof QueueAction.Follow follow) {
                    followed.put(follow.number(), follow.prefix());
                    take(machine.on(new QueueEvent.Watched(follow.number(), true), now()));
                } else if (action instanceof QueueAction.Leave leave) {
                    followed.remove(leave.number());
                } else if (action instanceof QueueAction.ListPage page) {
                    ask(action, () -> list(page));
                } else if (Rig.isRequest(action)) {
                    ask(action, () -> {
                        Answer answer = server.land(action, nanos, START_MILLIS + nanos / 1_000_000);
                        if (action instanceof ElectionAction.Request request
                                && !(action instanceof ElectionAction.Read)) {
                            changed(request.key());
                        }
                        return () -> take(answer.deliver(machine, now()));
                    });
                }
            }
        }

        private Runnable list(QueueAction.ListPage page) {
            if (isForbidden) {
                return () ->
                        take(machine.on(new QueueEvent.NotListed(page.number(), page.request(), "no right"), now()));
            }
            Page<Observation> shown = server.model.list(page.prefix(), page.from(), server.pageItems, nanos);
            return () -> take(machine.on(new QueueEvent.Listed(page.number(), page.request(), shown), now()));
        }

        private void ask(Action action, java.util.function.Supplier<Runnable> landing) {
            asked.add("c" + index + " " + action.getClass().getSimpleName());
            boolean isLost = isNext(requestsToLose, action);
            boolean isUnanswered = isLost || isNext(answersToLose, action);
            later(HALF, () -> {
                expire();
                Runnable answer = isLost ? () -> {} : landing.get();
                expire();
                later(HALF, () -> alive(isUnanswered ? () -> {} : answer));
            });
        }

        private static boolean isNext(Map<Class<? extends Action>, Integer> toLose, Action action) {
            int left = toLose.getOrDefault(action.getClass(), 0);
            toLose.put(action.getClass(), Math.max(0, left - 1));
            return left > 0;
        }

        private void alive(Runnable what) {
            if (!isDead) {
                what.run();
            }
        }

        private void hear(Observation seen) {
            if (seen.key().equals(KEY)) {
                take(machine.on(KEY, new ElectionEvent.Hinted(seen), now()));
            }
            new ArrayList<>(followed.entrySet()).forEach(each -> {
                if (seen.key().isBelow(each.getValue())) {
                    take(machine.on(new QueueEvent.Hinted(each.getKey(), seen), now()));
                }
            });
        }
    }

    Actor queues() {
        return add(true);
    }

    Actor races() {
        return add(false);
    }

    private Actor add(boolean queues) {
        Actor added = new Actor(actors.size() + 1, queues);
        actors.add(added);
        return added;
    }

    // ---- the store ----

    private void changed(RecordKey key) {
        tell(server.model.read(key, nanos));
    }

    private void expire() {
        server.model.expire(nanos).forEach(this::tell);
    }

    private void tell(Observation seen) {
        if (!isDeaf) {
            for (Actor actor : actors) {
                later(HALF, () -> actor.alive(() -> actor.hear(seen)));
            }
        }
    }

    /** How many keys of places the store knows, held or not. */
    int placesLeft() {
        return server.model
                .list(QUEUE, dev.mandate.spi.Cursor.START, 1_000, nanos)
                .items()
                .size();
    }

    boolean isHeld(RecordKey key) {
        return server.model.read(key, nanos) instanceof Observation.Held;
    }

    LeaderRecord record(RecordKey key) {
        return ((Observation.Held) server.model.read(key, nanos)).record();
    }

    /** Whose places stand there. */
    List<String> queue() {
        Queue queue = new Queue(QueueOrder.of(traits));
        for (Observation seen : server.model
                .list(QUEUE, dev.mandate.spi.Cursor.START, 1_000, nanos)
                .items()) {
            if (seen instanceof Observation.Held held) {
                queue.put(seen.key(), queue.read(held));
            }
        }
        return queue.inOrder().stream().map(Queue.Place::candidate).toList();
    }

    void delete(RecordKey key) {
        server.model.delete(key, nanos);
        changed(key);
    }

    /** An operator ends the lease of whatever stands there, and with a session all else that it keeps. */
    void endLease(RecordKey key) {
        server.model.endLease(key, nanos);
        expire();
    }

    // ---- time ----

    private void later(long delay, Runnable what) {
        happenings.add(new Happening(nanos + delay, order++, what));
    }

    void pass(Duration duration) {
        long until = nanos + duration.toNanos();
        while (step(until)) {
            assertThat(leaders()).as("leaders").hasSizeLessThanOrEqualTo(1);
        }
        nanos = until;
    }

    private boolean step(long until) {
        Actor woken = null;
        long next = happenings.isEmpty() ? Long.MAX_VALUE : happenings.element().atNanos();
        for (Actor actor : actors) {
            long wake = actor.isDead ? Long.MAX_VALUE : actor.machine.wakeAtNanos();
            if (wake < next) {
                next = wake;
                woken = actor;
            }
        }
        long expiry = server.model.nextExpiryNanos();
        boolean expires = traits.expiry() == dev.mandate.spi.Expiry.STORE_REMOVES && expiry < next;
        next = expires ? expiry : next;
        if (next > until) {
            return false;
        }
        nanos = Math.max(nanos, next);
        if (expires) {
            expire();
        } else if (woken != null) {
            woken.take(woken.machine.tick(woken.now()));
        } else {
            happenings.remove().what().run();
        }
        return true;
    }

    List<Actor> leaders() {
        return actors.stream().filter(Actor::leads).toList();
    }

    /** Passes until somebody leads; how long that took. */
    Duration untilLed() {
        long from = nanos;
        while (leaders().isEmpty()) {
            assertThat(step(from + 10 * L.toNanos())).as("somebody leads").isTrue();
        }
        return Duration.ofNanos(nanos - from);
    }

    Actor leader() {
        assertThat(leaders()).hasSize(1);
        return leaders().get(0);
    }
}
