package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Any event at any time, with any content: nothing throws, {@link Follower} can apply every change, no more is
 * remembered than may be, and nothing spins. The same events make the same actions.
 */
class FollowingTotalityTest {
    private static final int SEEDS = 300;
    private static final int STEPS = 300;

    @ParameterizedTest
    @EnumSource(Expiry.class)
    void nothingThrowsAndTheSameMakesTheSame(Expiry expiry) {
        int full = 0;
        int stale = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                Mob mob = new Mob(expiry, seed);
                mob.run();
                full += mob.full;
                stale += mob.stale;
                Mob again = new Mob(expiry, seed);
                again.run();
                assertThat(again.follower.log).isEqualTo(mob.follower.log);
            } catch (Throwable e) {
                throw new AssertionError(expiry + ", seed " + seed, e);
            }
        }
        assertThat(full).isPositive();
        assertThat(stale).isPositive();
    }

    private static final class Mob {
        final Random random;
        final Follower follower;
        int full;
        int stale;

        Mob(Expiry expiry, long seed) {
            this.random = new Random(seed);
            this.follower = new Follower(expiry, new SeededEntropy(seed), 5);
            follower.now = random.nextLong() / 4;
            follower.shows = key -> random.nextInt(3) == 0 ? null : any();
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                step();
                full += follower.isFull ? 1 : 0;
                stale += follower.isStale ? 1 : 0;
                assertThat(follower.machine().size()).isLessThanOrEqualTo(5);
            }
        }

        private void step() {
            switch (random.nextInt(10)) {
                case 0 -> follower.start(random.nextBoolean());
                case 1 -> follower.watch(random.nextBoolean());
                case 2 -> follower.gap();
                case 3, 4 -> follower.hint(any());
                case 5 -> follower.pass((long) (random.nextDouble() * random.nextDouble() * 40 * Follower.SECOND));
                case 6 -> follower.answerTo(new SweepAction(random.nextInt(200), 1, Cursor.START), page());
                default -> answer();
            }
        }

        private void answer() {
            SweepAction asked = follower.asked();
            if (asked == null) {
                return;
            }
            switch (random.nextInt(6)) {
                case 0 -> follower.fail();
                case 1 -> follower.failFor("nobody may");
                case 2 -> follower.taken();
                default -> follower.answerTo(asked, page());
            }
        }

        private Page<Observation> page() {
            List<Observation> items = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                items.add(any());
            }
            return new Page<>(items, random.nextInt(3) > 0 ? null : new Cursor("" + random.nextInt(4)));
        }

        private Observation any() {
            String id = "i" + random.nextInt(8);
            long version = random.nextInt(6);
            Follower.At at = new Follower.At(version);
            return switch (random.nextInt(6)) {
                case 0, 1 -> Follower.vacant(id);
                case 2 -> Observation.foreign(Follower.key(id), at, at, version, "theirs", lease());
                default ->
                    Follower.held(
                            id, random.nextInt(5), version, random.nextInt(4), "v" + random.nextInt(3), longLease());
            };
        }

        private Duration lease() {
            return random.nextBoolean() ? null : Duration.ofSeconds(random.nextInt(40) - 20);
        }

        private Duration longLease() {
            return random.nextInt(8) == 0 ? Duration.ofDays(100_000) : Duration.ofSeconds(1 + random.nextInt(30));
        }
    }
}
