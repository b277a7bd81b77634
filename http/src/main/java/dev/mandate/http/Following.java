package dev.mandate.http;

import dev.mandate.ElectionChange;
import dev.mandate.ElectionClient;
import dev.mandate.ElectionQueue;
import dev.mandate.ElectionsView;
import dev.mandate.ElectionsWatch;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.QueuesView;
import dev.mandate.QueuesWatch;
import dev.mandate.http.Board.Kind;
import dev.mandate.http.Events.Health;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesView;
import dev.mandate.registry.ServicesWatch;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Follows three prefixes of the store for all requests. Safe for use from many threads. */
final class Following implements AutoCloseable {
    private static final long OTHERS_NANOS = 200_000_000;

    private final Board board;
    private final Runnable onChange;
    private final TakeOvers takeOvers = new TakeOvers();
    private final ElectionsWatch elections;
    private final QueuesWatch queues;
    private final ServicesWatch services;

    private volatile @Nullable Others others;

    /** How old queues and services were at some time. Kept, because asking costs more the longer they are. */
    private record Others(boolean stale, Duration age, long nanos) {}

    /** @param onChange called on the client's executor; must not block */
    Following(ElectionClient client, Board board, Runnable onChange) {
        this.board = board;
        this.onChange = onChange;
        this.elections = client.watchElections((now, changes) -> elections(changes));
        this.queues = client.watchQueues((now, changed) -> queues(changed));
        this.services = client.registry().watchServices((now, changed) -> services(changed));
    }

    // ---- what is known ----

    /** The oldest age of the three, and whether one is stale. */
    Health health() {
        ElectionsView now = elections.view();
        Others those = others;
        long nanos = System.nanoTime();
        if (those == null || nanos - those.nanos > OTHERS_NANOS) {
            QueuesView queued = queues.view();
            ServicesView registered = services.view();
            boolean stale = queued.stale() || registered.stale();
            those = new Others(stale, oldest(queued.age(), registered.age()), nanos);
            others = those;
        }
        Duration othersAge = those.age.plusNanos(nanos - those.nanos);
        return Answers.health(now.stale() || those.stale, oldest(now.age(), othersAge));
    }

    private static Duration oldest(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    ElectionsView elections() {
        return elections.view();
    }

    LeaderView leader(String election) {
        return elections.view(election);
    }

    ServicesView services() {
        return services.view();
    }

    // ---- changes: one call of each method at a time ----

    private void elections(List<ElectionChange> changes) {
        for (ElectionChange change : changes) {
            Leader leader = change.after();
            board.put(Kind.ELECTION, change.election(), leader == null ? null : json -> Json.election(json, leader));
        }
        for (TakeOver each : takeOvers.told(changes, System.currentTimeMillis())) {
            board.put(Kind.TAKE_OVER, Long.toString(each.number()), each::write);
            board.drop(Kind.TAKE_OVER, Long.toString(each.number() - TakeOvers.MOST));
        }
        onChange.run();
    }

    private void queues(List<ElectionQueue> changed) {
        for (ElectionQueue each : changed) {
            boolean isEmpty = each.waiting().isEmpty();
            board.put(Kind.QUEUE, each.election(), isEmpty ? null : json -> Json.queue(json, each));
        }
        onChange.run();
    }

    private void services(List<ServiceView> changed) {
        for (ServiceView each : changed) {
            boolean isEmpty = each.instances().isEmpty();
            board.put(Kind.SERVICE, each.service(), isEmpty ? null : json -> Json.service(json, each));
        }
        onChange.run();
    }

    @Override
    public void close() {
        elections.close();
        queues.close();
        services.close();
    }
}
