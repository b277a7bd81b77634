package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Many write on one basis at the same moment. */
abstract class RaceCases extends RegisterCases {
    private static final int WRITERS = 8;
    private static final int RENEWED_EVERY = 20;

    /** Eight acquire on one vacant basis: exactly one is written and remains. */
    @Test
    protected void racedAcquiresHaveOneWinner() throws Exception {
        List<Contender> writers = contenders(WRITERS);
        RecordKey key = key("raced-acquire");
        try (Race race = new Race()) {
            for (int round = 0; round < rounds(); round++) {
                writers.forEach(Contender::stayAlive);
                Observation vacant = writers.get(0).read(key);
                List<LeaderRecord> proposals =
                        writers.stream().map(w -> w.proposal("value")).toList();

                List<Optional<WriteOutcome>> outcomes = race.run(i ->
                        writers.get(i).outcome("acquire", () -> writers.get(i).send(key, vacant, proposals.get(i))));

                Observation.Held stands = writers.get(0).readHeld(key);
                race.requireOneWinner(
                        round, outcomes, i -> stands.isAttempt(proposals.get(i).attempt()));
                writers.get(0).release(stands);
            }
        }
    }

    /** Eight replace one record on one basis: exactly one is written, and its value remains. */
    @Test
    protected void racedUpdatesHaveOneWinner() throws Exception {
        List<Contender> writers = contenders(WRITERS);
        RecordKey key = key("raced-update");
        writers.get(0).acquire(key);
        try (Race race = new Race()) {
            for (int round = 0; round < rounds(); round++) {
                Observation.Held basis = writers.get(0).readHeld(key);
                if (round % RENEWED_EVERY == RENEWED_EVERY - 1) {
                    // All rounds may take longer than the longest lease.
                    assertThat(writers.get(0).renew(basis)).isTrue();
                    basis = writers.get(0).readHeld(key);
                }
                Observation.Held seen = basis;
                LeaderRecord record = seen.record().withTerm(seen.term());
                String prefix = round + "-";

                List<Optional<WriteOutcome>> outcomes = race.run(i -> {
                    Contender writer = writers.get(i);
                    return writer.outcome(
                            "update",
                            () -> writer.store()
                                    .update(key, seen, record.withValue(prefix + i), Intent.PROCLAIM, writer.call()));
                });

                String stands = writers.get(0).readHeld(key).record().value();
                race.requireOneWinner(round, outcomes, i -> stands.equals(prefix + i));
            }
        }
    }

    /** Eight release one record on one basis: exactly one is written; a late release does not free the next term. */
    @Test
    protected void racedReleasesHaveOneWinner() throws Exception {
        List<Contender> writers = contenders(WRITERS);
        RecordKey key = key("raced-release");
        try (Race race = new Race()) {
            for (int round = 0; round < rounds(); round++) {
                Observation.Held basis = writers.get(round % WRITERS).acquire(key);

                List<Optional<WriteOutcome>> outcomes = race.run(i -> {
                    Contender writer = writers.get(i);
                    return writer.outcome("release", () -> writer.store().release(key, basis, writer.call()));
                });

                assertThat(writers.get(0).read(key)).isInstanceOf(Observation.Vacant.class);
                race.requireAtMostOneWinner(round, outcomes);
            }
        }
    }

    /** A release and an update on one basis: only one of them takes effect. */
    @Test
    protected void aReleaseRacingAnUpdateExcludesIt() throws Exception {
        List<Contender> writers = contenders(2);
        RecordKey key = key("raced-both");
        try (Race race = new Race(2)) {
            for (int round = 0; round < rounds(); round++) {
                Observation.Held basis = writers.get(0).acquire(key);
                LeaderRecord record = basis.record().withTerm(basis.term()).withValue("updated");

                List<Optional<WriteOutcome>> outcomes = race.run(i -> {
                    Contender writer = writers.get(i);
                    return writer.outcome(
                            "write",
                            () -> i == 0
                                    ? writer.store().release(key, basis, writer.call())
                                    : writer.store().update(key, basis, record, Intent.PROCLAIM, writer.call()));
                });

                Observation stands = writers.get(0).read(key);
                boolean isReleased = stands instanceof Observation.Vacant;
                race.requireOneWinner(round, outcomes, i -> isReleased == (i == 0));
                if (stands instanceof Observation.Held held) {
                    assertThat(held.record().value()).isEqualTo("updated");
                    writers.get(0).release(held);
                }
            }
        }
    }

    /** A hundred rivals, ten to a connection and all at once: one wins, also among those of one session. */
    @Test
    protected void aHundredRivalsHaveOneWinner() {
        List<Contender> rivals = contenders(10);
        RecordKey key = key("hundred");
        Observation vacant = rivals.get(0).read(key);
        List<CompletionStage<WriteOutcome>> sent = new ArrayList<>();
        Set<Id> attempts = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            for (Contender rival : rivals) {
                LeaderRecord proposal = rival.proposal("value");
                attempts.add(proposal.attempt());
                sent.add(rival.send(key, vacant, proposal));
            }
        }

        Contender first = rivals.get(0);
        long written = sent.stream()
                .map(stage -> first.answer("acquire", () -> stage))
                .filter(WriteOutcome.Written.class::isInstance)
                .count();

        assertThat(written).isEqualTo(1);
        assertThat(attempts).contains(first.readHeld(key).record().attempt());
    }

    /**
     * A write whose answer is not awaited is known by its attempt: it has landed, or lands later, or never. Two
     * attempts never exist at once, and an existing record can be released.
     */
    @Test
    protected void anUnknownWriteIsResolvedByItsAttempt() {
        Contender a = contender();
        RecordKey key = key("unknown");
        for (int round = 0; round < 20; round++) {
            Observation vacant = a.read(key);
            LeaderRecord first = a.proposal("first");
            CompletionStage<WriteOutcome> unawaited = a.send(key, vacant, first);
            LeaderRecord second = a.proposal("second");
            WriteOutcome outcome = a.acquire(key, vacant, second);

            boolean isSecond = outcome instanceof WriteOutcome.Written;
            Observation.Held stands = a.readHeld(key);
            assertThat(stands.isAttempt(isSecond ? second.attempt() : first.attempt()))
                    .as("the record of the attempt that was written")
                    .isTrue();
            WriteOutcome resolved = a.answer("the first acquire", () -> unawaited);
            assertThat(resolved instanceof WriteOutcome.Written).isNotEqualTo(isSecond);
            assertThat(a.release(a.readHeld(key))).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** One thread per writer, all started at once. */
    static final class Race implements AutoCloseable {
        private final int writers;
        private final CyclicBarrier start;
        private final ExecutorService threads;

        Race() {
            this(WRITERS);
        }

        Race(int writers) {
            this.writers = writers;
            this.start = new CyclicBarrier(writers);
            this.threads = Executors.newFixedThreadPool(writers);
        }

        /** What one writer does. */
        interface Write {
            Contender.Outcome<WriteOutcome> run(int writer);
        }

        /** Whether that writer's write is what the key shows. */
        interface Effect {
            boolean stands(int writer);
        }

        /** The outcomes in the order of the writers; empty for unknown. */
        List<Optional<WriteOutcome>> run(Write write) throws Exception {
            List<Callable<Optional<WriteOutcome>>> calls = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                int writer = i;
                calls.add(() -> {
                    start.await();
                    return write.run(writer).optional();
                });
            }
            List<Optional<WriteOutcome>> outcomes = new ArrayList<>();
            for (Future<Optional<WriteOutcome>> future : threads.invokeAll(calls)) {
                outcomes.add(future.get());
            }
            return outcomes;
        }

        /** Exactly one took effect: it was written or unknown, and no other was written. */
        void requireOneWinner(int round, List<Optional<WriteOutcome>> outcomes, Effect effect) {
            requireAtMostOneWinner(round, outcomes);
            for (int i = 0; i < writers; i++) {
                boolean isWritten = isWritten(outcomes.get(i));
                boolean stands = effect.stands(i);
                assertThat(isWritten && !stands)
                        .as(
                                "round %d: writer %d was told 'written', but its write does not stand: %s",
                                round, i, outcomes)
                        .isFalse();
                assertThat(stands && outcomes.get(i).isPresent() && !isWritten)
                        .as("round %d: writer %d was refused, but its write stands: %s", round, i, outcomes)
                        .isFalse();
            }
        }

        void requireAtMostOneWinner(int round, List<Optional<WriteOutcome>> outcomes) {
            long written = outcomes.stream().filter(Race::isWritten).count();
            long unknown = outcomes.stream().filter(Optional::isEmpty).count();
            assertThat(written)
                    .as("round %d: writes on one basis that were told 'written': %s", round, outcomes)
                    .isLessThanOrEqualTo(1);
            assertThat(written + unknown)
                    .as("round %d: all writes on one valid basis were refused: %s", round, outcomes)
                    .isPositive();
        }

        private static boolean isWritten(Optional<WriteOutcome> outcome) {
            return outcome.orElse(null) instanceof WriteOutcome.Written;
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
