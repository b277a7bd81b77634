package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for an election, and in which order. */
class QueueTest {
    private record At(long version) implements Basis, Liveness {}

    private static Id id(int n) {
        return new Id(n, 1);
    }

    /** The place of client {@code n}, with that term and that text, taken at {@code since} by its own clock. */
    private static Observation.Held place(int n, long term, String value, long since) {
        LeaderRecord record =
                LeaderRecord.proposal("c" + n, id(n), id(1_000 + n), value, Duration.ofSeconds(10), since);
        At at = new At(term);
        return Observation.held(RecordKey.place("jobs", id(n)), at, at, term, record);
    }

    private static Observation.Held byTerm(int n, long term) {
        return place(n, term, "arrival", 0);
    }

    private static Observation.Held byNumber(int n, long number) {
        return place(n, 1, "arrival " + number, 0);
    }

    private static List<String> candidates(Queue queue) {
        return queue.inOrder().stream().map(Queue.Place::candidate).toList();
    }

    private static Queue queue(QueueOrder order, Observation... seen) {
        Queue queue = new Queue(order);
        List.of(seen).forEach(each -> saw(queue, each));
        return queue;
    }

    private static void saw(Queue queue, Observation seen) {
        queue.put(seen.key(), seen instanceof Observation.Held held ? queue.read(held) : null);
    }

    private static int placeOf(Queue queue, Observation.Held own) {
        return queue.placeOf(queue.read(own));
    }

    @Test
    void whoeverHasTheSmallerTermCameFirst() {
        Queue queue = queue(QueueOrder.BY_TERM, byTerm(1, 30), byTerm(2, 10), byTerm(3, 20));

        assertThat(candidates(queue)).containsExactly("c2", "c3", "c1");
        assertThat(placeOf(queue, byTerm(2, 10))).isZero();
        assertThat(placeOf(queue, byTerm(3, 20))).isOne();
        assertThat(placeOf(queue, byTerm(1, 30))).isEqualTo(2);
        assertThat(queue.nextValue()).isEqualTo("arrival");
    }

    @Test
    void whoeverHasTheSmallerNumberCameFirstThenTheSmallerIncarnation() {
        Queue queue = queue(QueueOrder.BY_NUMBER, byNumber(3, 7), byNumber(2, 7), byNumber(1, 9));

        assertThat(candidates(queue)).containsExactly("c2", "c3", "c1");
        assertThat(placeOf(queue, byNumber(3, 7))).isOne();
        assertThat(queue.nextValue()).isEqualTo("arrival 10");
    }

    /** "never by candidates' clocks" */
    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    void sinceDecidesNothing(QueueOrder order) {
        Queue queue = queue(order, place(1, 5, "arrival 5", 9_000), place(2, 6, "arrival 6", 1_000));

        assertThat(candidates(queue)).containsExactly("c1", "c2");
    }

    @Test
    void whoeverIsNotShownYetComesBehindThoseThatCameBefore() {
        Queue queue = queue(QueueOrder.BY_TERM, byTerm(1, 10), byTerm(2, 30));

        assertThat(placeOf(queue, byTerm(3, 20))).isOne();
    }

    /** Its session was lost, and the queue shows the place that went with it. */
    @Test
    void anEarlierPlaceOfOnesOwnIsNobodyInFront() {
        Queue queue = queue(QueueOrder.BY_TERM, byTerm(1, 10), byTerm(2, 20));

        assertThat(placeOf(queue, byTerm(1, 30))).isOne();
    }

    @Test
    void thePlaceIsBounded() {
        Queue queue = new Queue(QueueOrder.BY_TERM);
        for (int i = 1; i <= 1_000; i++) {
            saw(queue, byTerm(i, i));
        }

        assertThat(placeOf(queue, byTerm(8, 8))).isEqualTo(7);
        assertThat(placeOf(queue, byTerm(9, 9))).isEqualTo(8);
        assertThat(placeOf(queue, byTerm(900, 900))).isEqualTo(8);
    }

    @Test
    void whoeverGoesLetsTheOthersMoveUp() {
        Queue queue = queue(QueueOrder.BY_TERM, byTerm(1, 1), byTerm(2, 2), byTerm(3, 3));

        saw(queue, Observation.vacant(RecordKey.place("jobs", id(1)), new At(9)));
        queue.put(RecordKey.place("jobs", id(2)), null);
        queue.put(RecordKey.place("jobs", id(2)), null);

        assertThat(placeOf(queue, byTerm(3, 3))).isZero();
    }

    @Test
    void whoeverComesAgainIsTheLast() {
        Queue queue = queue(QueueOrder.BY_TERM, byTerm(1, 1), byTerm(2, 2));

        saw(queue, byTerm(1, 3));

        assertThat(candidates(queue)).containsExactly("c2", "c1");
    }

    /** Or whoever left when it was the last would come back before those it has not seen yet. */
    @Test
    void aNumberIsNeverGivenTwice() {
        Queue queue = queue(QueueOrder.BY_NUMBER, byNumber(1, 41));
        queue.put(RecordKey.place("jobs", id(1)), null);
        assertThat(queue.nextValue()).isEqualTo("arrival 42");

        assertThat(queue.inOrder()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "arrival",
                "arrival ",
                "arrival x",
                "arrival -1",
                "arrival 1 ",
                "arrival ٣",
                "arrival 9007199254740993",
                "arrival 99999999999999999999999999",
                "10.0.0.7:8080"
            })
    void whatIsNoPlaceIsPassedOver(String value) {
        Observation.Held strange = place(1, 1, value, 0);
        Queue queue = queue(QueueOrder.BY_NUMBER, strange, byNumber(2, 3));

        assertThat(candidates(queue)).containsExactly("c2");
        assertThat(placeOf(queue, strange)).isEqualTo(8);
        assertThat(queue.nextValue()).isEqualTo("arrival 4");
    }

    @Test
    void anotherProgramsRecordAndOneUnderAnothersKeyAreNoPlaces() {
        RecordKey key = RecordKey.place("jobs", id(1));
        At at = new At(1);
        LeaderRecord record = byTerm(2, 1).record();
        Queue queue = queue(
                QueueOrder.BY_TERM,
                Observation.foreign(key, at, at, 1, "stranger", null),
                Observation.held(RecordKey.place("jobs", id(3)), at, at, 1, record),
                Observation.held(RecordKey.queue("jobs"), at, at, 1, record));

        assertThat(queue.inOrder()).isEmpty();
    }

    /** However it came about: the queue is what was shown last of each key. */
    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    void itIsWhatWasShownLast(QueueOrder order) {
        Random random = new Random(12);
        for (int round = 0; round < 200; round++) {
            Queue queue = new Queue(order);
            Observation[] last = new Observation[9];
            for (int step = 0; step < 60; step++) {
                int n = random.nextInt(last.length);
                Observation seen = random.nextInt(3) == 0
                        ? Observation.vacant(RecordKey.place("jobs", id(n)), new At(0))
                        : place(n, 1 + step, "arrival " + random.nextInt(5), random.nextLong());
                last[n] = seen;
                saw(queue, seen);
            }
            List<Observation> left = new ArrayList<>(Arrays.asList(last));
            left.removeIf(Objects::isNull);
            Collections.shuffle(left, random);
            assertThat(queue.inOrder())
                    .isEqualTo(queue(order, left.toArray(new Observation[0])).inOrder());
            for (int i = 0; i < queue.inOrder().size(); i++) {
                assertThat(queue.placeOf(queue.inOrder().get(i))).isEqualTo(Math.min(i, 8));
            }
        }
    }
}
