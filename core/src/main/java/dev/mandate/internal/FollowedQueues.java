package dev.mandate.internal;

import dev.mandate.ElectionQueue;
import dev.mandate.Queued;
import dev.mandate.QueuesView;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.Queue;
import dev.mandate.engine.QueueOrder;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The queues of all elections, followed at once. */
final class FollowedQueues extends FollowedList<FollowedQueues.Waiting, QueuesView> {
    private final QueueOrder order;

    /** A candidate that waits. */
    record Waiting(String election, Queue.Place place) {}

    FollowedQueues(ClientContext client) {
        super(client, "the queues", ALL_MAX);
        this.order = QueueOrder.of(client.traits());
    }

    /** Reads places; on the loop. */
    static final class Reader implements FollowingMachine.Reading<Waiting> {
        private final Queue queue;

        Reader(QueueOrder order) {
            this.queue = new Queue(order);
        }

        @Override
        public @Nullable Waiting read(Observation.Held held, boolean isVerified, @Nullable Waiting before) {
            Queue.Place place = queue.read(held);
            if (place == null) {
                return null;
            }
            Waiting read = new Waiting(held.key().segments().get(0), place);
            return read.equals(before) ? before : read;
        }
    }

    @Override
    int compare(Waiting each, RecordKey key) {
        int byElection = each.election().compareTo(key.segments().get(0));
        return byElection != 0
                ? byElection
                : each.place().incarnation().compareTo(key.segments().get(1));
    }

    @Override
    QueuesView view(List<Waiting> list, Duration age, boolean isStale) {
        return new QueuesView(Lists.runs(list, Waiting::election, this::queue), age, isStale);
    }

    private ElectionQueue queue(String election, List<Waiting> waiting) {
        Queue queue = new Queue(order);
        waiting.forEach(each -> queue.put(RecordKey.queue(each.place().incarnation()), each.place()));
        return new ElectionQueue(election, inOrder(queue));
    }

    /** As users see it. */
    static List<Queued> inOrder(Queue queue) {
        return queue.inOrder().stream()
                .map(place ->
                        new Queued(place.candidate(), place.incarnation(), Instant.ofEpochMilli(place.sinceMillis())))
                .toList();
    }
}
