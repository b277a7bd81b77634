package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A {@link FollowingMachine} beside a model of a store that loses, delays, doubles and reorders hints, has gaps, goes
 * away, fails pages, and lists by key or by position. Whatever happens, {@link Follower} checks that the changes
 * applied in order are the list; here: who lives and is left alone is listed, who died is gone by the bound, and the
 * list is never empty while somebody was there all the time.
 */
class FollowingAgainstAModelTest {
    private static final int SEEDS = 400;
    private static final int STEPS = 400;
    private static final long SECOND = Follower.SECOND;

    @ParameterizedTest
    @EnumSource(Expiry.class)
    void whoLivesIsListedAndWhoDiedIsGone(Expiry expiry) {
        int blanks = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Model model = new Model(expiry, seed);
            try {
                model.run();
            } catch (Throwable e) {
                throw new AssertionError(expiry + ", seed " + seed + ": " + e.getMessage(), e);
            }
            blanks += model.emptied;
        }
        assertThat(blanks)
                .as("a list that never turns empty proves nothing of those that do")
                .isPositive();
    }

    /** An instance: alive while it renews. */
    private static final class Instance {
        long term;
        long version;
        long alive;
        int content;
        boolean stands;
        boolean renews;
        Duration lease = Follower.L;
        long renewedNanos;
    }

    private static final class Model {
        final boolean isJudged;
        final Random random;
        final Follower follower;
        final Map<String, Instance> instances = new TreeMap<>();
        final FollowingSettings settings;
        final StoreTraits traits;
        final boolean byPosition;
        final boolean listsVacant;
        final int pageSize;
        final double hintLoss;
        final double hintLate;
        boolean isAway;
        boolean isCalm;
        long versions = 1;
        int emptied;
        final List<Runnable> late = new ArrayList<>();

        Model(Expiry expiry, long seed) {
            this.isJudged = expiry == Expiry.OBSERVER_JUDGES;
            this.random = new Random(seed);
            this.follower = new Follower(expiry, new SeededEntropy(seed), 1_000);
            this.traits = StoreTraits.of("model", expiry, LeaseScope.RECORD).withWatch(true);
            this.settings = new FollowingSettings(Follower.TIMING, expiry, 1_000);
            this.byPosition = random.nextInt(3) == 0;
            this.listsVacant = random.nextBoolean();
            this.pageSize = 1 + random.nextInt(6);
            this.hintLoss = random.nextBoolean() ? 0 : random.nextDouble();
            this.hintLate = random.nextBoolean() ? 0 : random.nextDouble();
            follower.shows = this::look;
        }

        void run() {
            follower.start(random.nextInt(4) > 0);
            for (int i = 0; i < STEPS; i++) {
                step();
                pass((long) (random.nextDouble() * SECOND));
                check();
            }
            heal();
        }

        // ---- what happens ----

        void step() {
            String id = "i" + random.nextInt(8);
            Instance one = instances.computeIfAbsent(id, k -> new Instance());
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> register(id, one);
                case 3, 4 -> update(id, one);
                case 5 -> vacate(id, one);
                case 6 -> one.renews = false;
                case 7 -> isAway = random.nextInt(3) == 0;
                case 8 -> follower.gap();
                case 9 -> follower.watch(random.nextInt(3) > 0);
                case 10 -> instances.values().forEach(each -> each.stands &= random.nextInt(8) > 0);
                default -> {}
            }
        }

        void register(String id, Instance one) {
            if (!one.stands) {
                one.term = ++versions;
                one.version = one.term;
                one.alive = one.term;
                one.content++;
                one.stands = true;
                one.lease = Duration.ofSeconds(4 + random.nextInt(20));
                one.renewedNanos = follower.now;
            }
            one.renews = true;
            tell(id, one);
        }

        void update(String id, Instance one) {
            if (one.stands) {
                one.version = ++versions;
                one.content++;
                tell(id, one);
            }
        }

        void vacate(String id, Instance one) {
            one.stands = false;
            one.renews = false;
            tell(id, one);
        }

        /** Everybody who lives renews; where the store removes records, it does. */
        void live() {
            for (Map.Entry<String, Instance> each : instances.entrySet()) {
                Instance one = each.getValue();
                long lease = one.lease.toNanos();
                if (one.stands && one.renews && !isAway && follower.now - one.renewedNanos >= lease / 3) {
                    one.renewedNanos = follower.now;
                    one.alive = ++versions;
                }
                if (!isJudged && one.stands && follower.now - one.renewedNanos >= lease) {
                    vacate(each.getKey(), one);
                }
            }
        }

        void tell(String id, Instance one) {
            Observation seen = seen(id, one);
            if (isAway || !isCalm && random.nextDouble() < hintLoss) {
                return;
            }
            if (!isCalm && random.nextDouble() < hintLate) {
                late.add(() -> follower.hint(seen));
            } else {
                follower.hint(seen);
                if (random.nextInt(10) == 0) {
                    follower.hint(seen);
                }
            }
        }

        Observation seen(String id, Instance one) {
            return one.stands
                    ? Follower.held(id, one.term, one.version, one.alive, id + "-" + one.content, one.lease)
                    : Follower.vacant(id);
        }

        // ---- time, and the store's answers ----

        void pass(long nanos) {
            for (long left = nanos; left > 0; left -= SECOND / 20) {
                follower.pass(Math.min(left, SECOND / 20));
                live();
                while (!late.isEmpty() && random.nextInt(3) == 0) {
                    late.remove(random.nextInt(late.size())).run();
                }
                if (follower.asked() != null && random.nextInt(3) > 0) {
                    answer();
                }
            }
        }

        void answer() {
            if (isAway || !isCalm && random.nextInt(12) == 0) {
                follower.fail();
                return;
            }
            SweepAction asked = follower.taken();
            Page<Observation> page = page(asked.from());
            if (!isCalm && random.nextInt(4) == 0) {
                // Something happens between the answer and its arrival.
                step();
            }
            int before = follower.told == null ? 0 : follower.told.size();
            follower.answerTo(asked, page);
            if (before > 0 && follower.told != null && follower.told.isEmpty()) {
                emptied++;
                assertThat(wasSomebodyThere()).as("a false blank").isFalse();
            }
        }

        @Nullable
        Observation look(RecordKey key) {
            Instance one = instances.get(key.name());
            boolean fails = isAway || !isCalm && random.nextInt(12) == 0;
            return fails ? null : one == null ? Follower.vacant(key.name()) : seen(key.name(), one);
        }

        Page<Observation> page(Cursor from) {
            List<Observation> items = new ArrayList<>();
            boolean isFirst = from.equals(Cursor.START);
            int position = 0;
            for (Map.Entry<String, Instance> each : instances.entrySet()) {
                if (!each.getValue().stands && !listsVacant) {
                    continue;
                }
                boolean isPast = isFirst
                        || (byPosition
                                ? position >= Integer.parseInt(from.opaque())
                                : each.getKey().compareTo(from.opaque()) >= 0);
                if (isPast && items.size() == pageSize) {
                    return new Page<>(items, new Cursor(byPosition ? Integer.toString(position) : each.getKey()));
                }
                if (isPast) {
                    items.add(seen(each.getKey(), each.getValue()));
                }
                position++;
            }
            return new Page<>(items, null);
        }

        // ---- what must be true ----

        /** Who has been there for so long that no listing can have missed it. */
        private final Map<String, Long> since = new TreeMap<>();

        void check() {
            Set<String> alive = new HashSet<>();
            instances.forEach((id, one) -> {
                if (one.stands && one.renews && !isAway) {
                    alive.add(id);
                    since.putIfAbsent(id, follower.now);
                }
            });
            since.keySet().retainAll(alive);
        }

        boolean wasSomebodyThere() {
            return since.values().stream().anyMatch(from -> follower.now - from > 60 * SECOND);
        }

        /**
         * All is well from here on: hints come, pages come, and the list has to be right by the bound, and to stay so.
         */
        void heal() {
            isAway = false;
            isCalm = true;
            late.forEach(Runnable::run);
            late.clear();
            follower.watch(random.nextBoolean());
            int pages = 1 + instances.size() / pageSize;
            long bound = 0;
            for (Instance one : instances.values()) {
                bound = Math.max(bound, settings.goneNanos(traits, one.lease.toNanos(), pages));
            }
            pass(bound + SECOND);
            isRight();
            pass(40 * SECOND);
            isRight();
        }

        void isRight() {
            Map<String, String> truth = new TreeMap<>();
            instances.forEach((id, one) -> {
                if (one.stands && one.renews) {
                    truth.put(id, id + "-" + one.content);
                }
            });
            assertThat(follower.told).isEqualTo(truth);
        }
    }
}
