package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Does the same random operations on a store and on its model, on bases old and new, and demands the same answers. The
 * model is what the simulator proves the engine with, so it must be like the real thing.
 */
final class ModelTwin {
    private static final long LEASE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int REMEMBERED = 12;

    private final ElectionStore store;
    private final ModelStore model;
    private final Random random;
    private final RecordKey prefix = SqlFixture.key("twin");
    private final List<RecordKey> keys = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private int step;
    private int written;
    private int refused;

    private record Session(StoreSession real, long modelled) {}

    /** One look at a key, through both. */
    private record Seen(Observation real, Observation modelled) {}

    ModelTwin(ElectionStore store, long seed) {
        this.store = store;
        this.model = new ModelStore(store.traits(), ModelOptions.DEFAULT.with(ModelOptions.Token.CLOCK));
        this.random = new Random(seed);
        for (int i = 0; i < 3; i++) {
            keys.add(new RecordKey(RecordKey.ELECTIONS, List.of(prefix.name(), "key-" + i)));
        }
        for (int i = 0; i < 4; i++) {
            open();
        }
        keys.forEach(this::read);
    }

    /** Returns how many writes were done, and how many refused. */
    int[] run(int steps) {
        for (step = 0; step < steps; step++) {
            switch (random.nextInt(10)) {
                case 0, 1 -> read(keys.get(random.nextInt(keys.size())));
                case 2, 3, 4 -> acquire();
                case 5, 6 -> update();
                case 7 -> release();
                case 8 -> renew();
                default -> endOrList();
            }
        }
        return new int[] {written, refused};
    }

    private void open() {
        sessions.add(new Session(
                StoreClient.answer(store.openSession(Duration.ofNanos(LEASE_NANOS), StoreClient.call())),
                model.openSession(LEASE_NANOS, 0)));
    }

    private void read(RecordKey key) {
        same(StoreClient.answer(store.read(key, StoreClient.call())), model.read(key, 0));
    }

    private void acquire() {
        Seen basis = basis();
        Session session = session();
        LeaderRecord proposal = LeaderRecord.proposal(
                "c", StoreClient.id(), StoreClient.id(), "v" + step, Duration.ofNanos(LEASE_NANOS), 1_767_225_600_000L);
        RecordKey key = basis.real().key();
        same(
                StoreClient.answer(store.acquire(key, basis.real(), proposal, session.real(), StoreClient.call())),
                model.acquire(key, basis.modelled(), proposal, session.modelled(), 0, 1));
    }

    private void update() {
        Seen basis = basis();
        if (basis.real() instanceof Observation.Held real && basis.modelled() instanceof Observation.Held modelled) {
            Intent intent = random.nextBoolean() ? Intent.PROCLAIM : Intent.ASK_TO_LEAVE;
            LeaderRecord record = real.record().withTerm(0);
            LeaderRecord next = intent == Intent.PROCLAIM ? record.withValue("u" + step) : record.askedToLeave();
            same(
                    StoreClient.answer(store.update(real.key(), real, next, intent, StoreClient.call())),
                    model.update(modelled, next, intent, 0));
        }
    }

    private void release() {
        Seen basis = basis();
        if (basis.real() instanceof Observation.Held real && basis.modelled() instanceof Observation.Held modelled) {
            same(StoreClient.answer(store.release(real.key(), real, StoreClient.call())), model.release(modelled, 0));
        }
    }

    private void renew() {
        Session session = session();
        SessionRenewal real = StoreClient.answer(session.real().renew(StoreClient.call()));
        assertThat(real).as("step %d", step).isEqualTo(model.renewSession(session.modelled(), 0));
    }

    private void endOrList() {
        if (random.nextInt(3) == 0) {
            Session session = session();
            StoreClient.answer(session.real().end(StoreClient.call()).thenApply(ended -> true));
            model.endSession(session.modelled(), 0);
            open();
        } else {
            assertThat(held(StoreClient.answer(store.list(prefix, Cursor.START, StoreClient.call()))
                            .items()))
                    .as("listing at step %d", step)
                    .isEqualTo(held(model.list(prefix, Cursor.START, 1_000, 0).items()));
        }
    }

    private String held(List<Observation> items) {
        return items.stream()
                .filter(Observation.Held.class::isInstance)
                .map(item ->
                        item.key() + " " + ((Observation.Held) item).record().withTerm(0))
                .collect(Collectors.joining("\n"));
    }

    /** Mostly a recent session, at times one that may have ended. */
    private Session session() {
        int back = random.nextInt(random.nextInt(4) == 0 ? sessions.size() : 4);
        return sessions.get(sessions.size() - 1 - back);
    }

    private Seen basis() {
        return seen.get(random.nextInt(seen.size()));
    }

    private void same(WriteOutcome real, WriteOutcome modelled) {
        assertThat(real.getClass())
                .as("step %d: %s, but the model %s", step, real, modelled)
                .isEqualTo(modelled.getClass());
        if (real instanceof WriteOutcome.Written one && modelled instanceof WriteOutcome.Written two) {
            written++;
            same(one.now(), two.now());
        } else if (real instanceof WriteOutcome.Refused one && modelled instanceof WriteOutcome.Refused two) {
            refused++;
            same(one.now().orElseThrow(), two.now().orElseThrow());
        }
    }

    private void same(Observation real, Observation modelled) {
        assertThat(real.getClass())
                .as("step %d: %s, but the model %s", step, real, modelled)
                .isEqualTo(modelled.getClass());
        if (real instanceof Observation.Held one && modelled instanceof Observation.Held two) {
            assertThat(one.record().withTerm(0))
                    .as("step %d", step)
                    .isEqualTo(two.record().withTerm(0));
        }
        // Two looks are at the same basis, or liveness, in both or in neither.
        for (Seen before : seen) {
            if (before.real().key().equals(real.key()) && before.real().getClass() == real.getClass()) {
                assertThat(before.real().basis().equals(real.basis()))
                        .as("step %d: basis", step)
                        .isEqualTo(before.modelled().basis().equals(modelled.basis()));
                sameLiveness(before, real, modelled);
            }
        }
        seen.add(new Seen(real, modelled));
        if (seen.size() > REMEMBERED) {
            seen.remove(random.nextInt(REMEMBERED / 2));
        }
    }

    private void sameLiveness(Seen before, Observation real, Observation modelled) {
        if (real instanceof Observation.Held now && before.real() instanceof Observation.Held then) {
            assertThat(then.liveness().equals(now.liveness()))
                    .as("step %d: liveness", step)
                    .isEqualTo(((Observation.Held) before.modelled())
                            .liveness()
                            .equals(((Observation.Held) modelled).liveness()));
            if (then.basis().equals(now.basis())) {
                assertThat(now.term()).as("step %d: term", step).isEqualTo(then.term());
            }
        }
    }
}
