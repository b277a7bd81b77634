package dev.mandate.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Drives {@link ModelStore} and {@link DumbStore} with the same random operations, most of them on outdated bases, and
 * compares every answer, every reading, and which observations share a basis.
 */
class ModelStoreTwinTest {
    private static final int SEEDS = 3_000;
    private static final int STEPS = 120;

    @Test
    void answersLikeItsTwin() {
        Set<String> met = new HashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Run run = new Run(seed);
            try {
                for (int i = 0; i < STEPS; i++) {
                    run.step(met);
                }
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + seed + " on " + run.model.traits() + " " + run.model.options() + "\n"
                                + String.join("\n", run.log.subList(Math.max(0, run.log.size() - 30), run.log.size())),
                        e);
            }
        }
        // A comparison that never saw one of these would prove little.
        assertThat(met)
                .contains(
                        "acquire written",
                        "acquire refused",
                        "acquire locked",
                        "take over",
                        "late acquire",
                        "late release refused",
                        "update written",
                        "update refused",
                        "release written",
                        "release refused",
                        "erase written",
                        "erase refused",
                        "erase locked",
                        "nothing to erase",
                        "session gone",
                        "expired",
                        "foreign taken",
                        "foreign expired");
    }

    /** What both showed at the same moment. */
    private record Pair(Observation model, DumbStore.Seen dumb, long at) {}

    private static final class Run {
        final Random random;
        final ModelStore model;
        final DumbStore dumb;
        final List<RecordKey> keys = new ArrayList<>();
        final List<List<Pair>> seen = new ArrayList<>();
        final List<Long> modelSessions = new ArrayList<>();
        final List<String> log = new ArrayList<>();
        long now = 1_000;
        int step;

        Run(long seed) {
            // Neighbouring seeds begin alike: spread them.
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            Expiry expiry = (seed & 1) == 0 ? Expiry.STORE_REMOVES : Expiry.OBSERVER_JUDGES;
            LeaseScope scope = (seed & 2) == 0 ? LeaseScope.SESSION : LeaseScope.RECORD;
            StoreTraits traits = StoreTraits.of("model", expiry, scope)
                    .withLeaseBounds(Duration.ofNanos(50), Duration.ofNanos(1000), Duration.ofNanos(10))
                    .withExpiry(random.nextBoolean() ? 1.0 : 2.0, Duration.ofNanos(random.nextInt(20)))
                    .withLockDelay(Duration.ofNanos(random.nextInt(3) == 0 ? 40 : 0));
            ModelOptions options = ModelOptions.DEFAULT
                    .with(random.nextBoolean() ? ModelOptions.VacantBasis.CONSTANT : ModelOptions.VacantBasis.RISING)
                    .with(random.nextBoolean() ? ModelOptions.Token.CLOCK : ModelOptions.Token.REVISION)
                    .withUpdatesRenew(random.nextBoolean())
                    .withListsVacant(random.nextBoolean());
            model = new ModelStore(traits, options);
            dumb = new DumbStore(traits, options);
            for (String name : List.of("a", "a-b", "b")) {
                keys.add(RecordKey.election(name));
                seen.add(new ArrayList<>());
            }
            keys.add(new RecordKey(RecordKey.ELECTIONS, List.of("a", "c")));
            seen.add(new ArrayList<>());
        }

        void step(Set<String> met) {
            step++;
            now += random.nextInt(3) == 0 ? random.nextInt(60) : random.nextInt(5);
            int which = random.nextInt(keys.size());
            RecordKey key = keys.get(which);
            look(which);
            List<Pair> pairs = seen.get(which);
            Pair basis = pairs.get(random.nextInt(4) > 0 ? pairs.size() - 1 : random.nextInt(pairs.size()));
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> acquire(key, basis, met);
                case 3, 4 -> update(key, basis, met);
                case 5, 6 -> release(key, basis, met);
                case 7 -> open();
                case 8, 9 -> renewOrEnd(met);
                case 10 -> list();
                case 11 -> erase(key, basis, met);
                default -> operator(which, met);
            }
            look(which);
        }

        void look(int which) {
            RecordKey key = keys.get(which);
            Pair pair = new Pair(model.read(key, now), dumb.see(key, now), now);
            compare(key, pair);
            for (Pair other : seen.get(which)) {
                compareIdentity(pair, other);
            }
            seen.get(which).add(pair);
            if (seen.get(which).size() > 12) {
                seen.get(which).remove(random.nextInt(11));
            }
        }

        private void compare(RecordKey key, Pair pair) {
            assertThat(pair.model.key()).isEqualTo(key);
            assertThat(pair.model instanceof Observation.Held).as("held").isEqualTo(pair.dumb.held());
            if (pair.model instanceof Observation.Held held) {
                DumbStore.Stay stay = dumb.standing(key, now);
                assertThat(held.isForeign()).isEqualTo(stay.foreign != null);
                if (held.isForeign()) {
                    assertThat(held.shown()).isEqualTo(stay.foreign);
                } else {
                    assertThat(held.record()).isEqualTo(stay.record);
                    if (model.options().token() == ModelOptions.Token.CLOCK) {
                        assertThat(held.term()).isEqualTo(stay.token);
                    }
                }
            }
        }

        private void compareIdentity(Pair a, Pair b) {
            if (a.model.getClass() != b.model.getClass()) {
                return;
            }
            boolean constant = !a.dumb.held() && model.options().vacantBasis() == ModelOptions.VacantBasis.CONSTANT;
            boolean sameBasis = constant || (a.dumb.stays() == b.dumb.stays() && a.dumb.changes() == b.dumb.changes());
            assertThat(a.model.basis().equals(b.model.basis())).as("same basis").isEqualTo(sameBasis);
            if (a.model instanceof Observation.Held x && b.model instanceof Observation.Held y) {
                boolean sameSession = a.dumb.session() > 0 && a.dumb.session() == b.dumb.session();
                boolean sameStay = a.dumb.stays() == b.dumb.stays();
                boolean live = (sameSession || sameStay) && a.dumb.renewals() == b.dumb.renewals();
                assertThat(x.liveness().equals(y.liveness()))
                        .as("same liveness")
                        .isEqualTo(live);
            }
        }

        private void acquire(RecordKey key, Pair basis, Set<String> met) {
            long session = session();
            long lease = 40L + random.nextInt(120);
            LeaderRecord proposal = LeaderRecord.proposal(
                    "c" + step, new Id(1, 1), new Id(step, 1), "v" + step, Duration.ofNanos(lease), step);
            long wall = now / 10;
            log("acquire", key, basis, "session " + session + " lease " + lease);
            WriteOutcome a = model.acquire(key, basis.model, proposal, modelSession(session), now, wall);
            DumbStore.Answer b = dumb.acquire(key, basis.dumb, proposal, session, now, wall);
            compare(a, b, key);
            met.add(b.retryNanos() > 0 ? "acquire locked" : b.written() ? "acquire written" : "acquire refused");
            if (b.written() && basis.dumb.held()) {
                met.add(basis.model instanceof Observation.Held h && h.isForeign() ? "foreign taken" : "take over");
            }
            if (b.written() && basis.at < now && dumb.stays(key).size() > basis.dumb.stays() + 1) {
                met.add("late acquire");
            }
        }

        private void update(RecordKey key, Pair basis, Set<String> met) {
            if (!(basis.model instanceof Observation.Held held) || held.isForeign()) {
                return;
            }
            Intent intent = Intent.values()[random.nextInt(3)];
            LeaderRecord r = held.record();
            // Another lease, so that an expiry comes nearer at times.
            LeaderRecord record = new LeaderRecord(
                    r.candidate(),
                    r.incarnation(),
                    r.attempt(),
                    "u" + step,
                    Duration.ofNanos(40L + random.nextInt(120)),
                    held.term(),
                    r.leave(),
                    r.sinceMillis(),
                    r.unknown());
            log("update " + intent, key, basis, "");
            DumbStore.Answer b = dumb.update(key, basis.dumb, record, intent, now);
            compare(model.update(held, record, intent, now), b, key);
            met.add(b.written() ? "update written" : "update refused");
        }

        private void release(RecordKey key, Pair basis, Set<String> met) {
            if (!(basis.model instanceof Observation.Held held)) {
                return;
            }
            log("release", key, basis, "");
            boolean later = dumb.see(key, now).held() && dumb.stays(key).size() > basis.dumb.stays();
            DumbStore.Answer b = dumb.release(key, basis.dumb, now);
            compare(model.release(held, now), b, key);
            met.add(b.written() ? "release written" : later ? "late release refused" : "release refused");
        }

        private void erase(RecordKey key, Pair basis, Set<String> met) {
            if (!(basis.model instanceof Observation.Vacant vacant)) {
                return;
            }
            log("erase", key, basis, "");
            boolean isNone = dumb.see(key, now).stays() <= 0;
            DumbStore.Answer b = dumb.erase(key, basis.dumb, now);
            compare(model.erase(vacant, now), b, key);
            met.add(
                    b.retryNanos() > 0
                            ? "erase locked"
                            : !b.written() ? "erase refused" : isNone ? "nothing to erase" : "erase written");
        }

        private void open() {
            if (model.traits().leaseScope() == LeaseScope.SESSION) {
                long lease = 40L + random.nextInt(200);
                modelSessions.add(model.openSession(lease, now));
                dumb.open(lease, now);
                log.add(now + " open " + lease);
            }
        }

        private void renewOrEnd(Set<String> met) {
            long session = session();
            if (session == 0 || session > modelSessions.size()) {
                return;
            }
            if (random.nextInt(4) == 0) {
                log.add(now + " end " + session);
                model.endSession(modelSession(session), now);
                dumb.end(session, now);
                return;
            }
            log.add(now + " renew " + session);
            boolean lives = dumb.renew(session, now);
            SessionRenewal renewal = model.renewSession(modelSession(session), now);
            assertThat(renewal instanceof SessionRenewal.Renewed).as("renewed").isEqualTo(lives);
            if (!lives) {
                met.add("session gone");
            }
        }

        private void operator(int which, Set<String> met) {
            RecordKey key = keys.get(which);
            switch (random.nextInt(6)) {
                case 0 -> {
                    log.add(now + " delete " + key);
                    assertThat(model.delete(key, now)).isEqualTo(dumb.remove(key, now));
                }
                case 1 -> {
                    log.add(now + " end lease " + key);
                    assertThat(model.endLease(key, now)).isEqualTo(dumb.endLease(key, now));
                }
                case 2 -> {
                    long lease = random.nextBoolean() ? 0 : 40 + random.nextInt(40);
                    log.add(now + " foreign " + key + " " + lease);
                    model.overwriteForeign(key, "f" + step, lease == 0 ? null : Duration.ofNanos(lease), now);
                    dumb.foreign(key, "f" + step, lease, now);
                }
                default -> jumpToExpiry(met);
            }
        }

        /** To the very instant of the next expiry: one nanosecond before it everything must still stand. */
        private void jumpToExpiry(Set<String> met) {
            long next = model.nextExpiryNanos();
            if (next == Long.MAX_VALUE || next <= now) {
                return;
            }
            model.expire(now);
            log.add(now + " jump to " + next);
            now = next - 1;
            assertThat(model.expire(now)).isEmpty();
            boolean foreign =
                    keys.stream().map(k -> dumb.standing(k, now)).anyMatch(s -> s != null && s.foreign != null);
            List<RecordKey> before =
                    keys.stream().filter(k -> dumb.standing(k, now) != null).toList();
            now = next;
            List<RecordKey> gone =
                    before.stream().filter(k -> dumb.standing(k, next) == null).toList();
            List<RecordKey> told =
                    model.expire(now).stream().map(Observation::key).toList();
            assertThat(told).containsExactlyInAnyOrderElementsOf(gone);
            if (!gone.isEmpty()) {
                met.add(foreign ? "foreign expired" : "expired");
            }
        }

        private void list() {
            RecordKey prefix = random.nextBoolean() ? RecordKey.elections() : RecordKey.election("a");
            int limit = 1 + random.nextInt(3);
            List<RecordKey> listed = new ArrayList<>();
            Cursor cursor = Cursor.START;
            while (cursor != null) {
                Page<Observation> page = model.list(prefix, cursor, limit, now);
                assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
                page.items().forEach(o -> {
                    assertThat(o instanceof Observation.Held)
                            .isEqualTo(dumb.see(o.key(), now).held());
                    listed.add(o.key());
                });
                cursor = page.after();
            }
            assertThat(listed).isEqualTo(dumb.list(prefix, now));
        }

        private void compare(WriteOutcome a, DumbStore.Answer b, RecordKey key) {
            assertThat(a instanceof WriteOutcome.Written).as("written").isEqualTo(b.written());
            if (a instanceof WriteOutcome.Written written) {
                assertThat(written.granted().isPresent()).as("granted").isEqualTo(b.granted());
                assertThat(written.granted().map(Duration::toNanos).orElse(0L)).isEqualTo(b.grantedNanos());
                sameAsRead(written.now());
            } else if (a instanceof WriteOutcome.Refused refused) {
                sameAsRead(refused.now().orElseThrow());
                assertThat(refused.now().orElseThrow().key()).isEqualTo(key);
                assertThat(refused.retryAfter().map(Duration::toNanos).orElse(0L))
                        .isEqualTo(b.retryNanos());
            }
        }

        private void sameAsRead(Observation told) {
            Observation read = model.read(told.key(), now);
            assertThat(told.basis()).isEqualTo(read.basis());
            if (read instanceof Observation.Held) {
                assertThat(told).isSameAs(read);
            } else {
                assertThat(told).isInstanceOf(Observation.Vacant.class);
            }
        }

        private long session() {
            return model.traits().leaseScope() == LeaseScope.RECORD ? 0 : random.nextInt(modelSessions.size() + 1);
        }

        private long modelSession(long session) {
            return session == 0 ? 0 : modelSessions.get((int) session - 1);
        }

        private void log(String verb, RecordKey key, Pair basis, String more) {
            log.add(now + " " + verb + " " + key + " on " + basis + " " + more);
        }
    }
}
