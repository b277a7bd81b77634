package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What becomes of one who follows when something fails in the midst of it. */
class FollowedPrefixTest {
    private static final RecordKey WEB = RecordKey.registrations("web");

    /** Memory runs out as it is told of the third change. */
    private static final class Scarce implements FollowedPrefix.Audience<String> {
        final Map<String, String> listed = new TreeMap<>();
        int changes;
        int wholes;

        @Override
        public void changed(FollowingAction.Changed<String> news) {
            if (++changes == 3) {
                throw new OutOfMemoryError("for a test");
            }
            news.changes().forEach(change -> listed.put(change.key().name(), change.after()));
        }

        @Override
        public void whole(FollowingMachine<String> machine) {
            wholes++;
            listed.clear();
            machine.forEach((key, value) -> listed.put(key.name(), value));
        }

        @Override
        public void stepped(FollowingMachine<String> machine) {}

        @Override
        public void full(boolean isFull) {}

        @Override
        public void fault(String message) {}
    }

    @Test
    void aChangeThatIsLostIsMendedByTheWhole() {
        World world = World.withSessions();
        Client a = world.client("a");
        Client b = world.client("b", world.store.another());
        Scarce told = new Scarce();
        FollowingMachine<String> machine = new FollowingMachine<>(
                WEB,
                new FollowingSettings(b.timing(), Expiry.STORE_REMOVES, 100),
                (held, isVerified, before) -> "v",
                () -> 7);
        FollowedPrefix<String> prefix = new FollowedPrefix<>(b, world.store, machine, told);
        b.loop().command(prefix::start);
        for (int i = 0; i < 3; i++) {
            a.registry().register("web", ServiceInstance.at("x").withId("" + i));
            world.pass(Duration.ofMillis(300));
        }

        world.pass(Duration.ofSeconds(1));

        assertThat(told.wholes).isEqualTo(1);
        assertThat(told.listed.keySet()).containsExactly("0", "1", "2");
        a.registry().register("web", ServiceInstance.at("x").withId("3"));
        world.passUntil(() -> told.listed.size() == 4, Duration.ofSeconds(1));
    }
}
