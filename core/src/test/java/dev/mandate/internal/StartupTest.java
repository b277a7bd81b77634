package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.ElectionStore;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How long a store that cannot be opened yet is tried again. */
class StartupTest {
    private static final long RETRY = LeaseTiming.of(World.LEASE).retryIntervalNanos();

    private final World world = World.withSessions();
    private int tries;

    private Startup startup(Duration atMost) {
        ClientSettings settings = ClientSettings.of(
                Map.of(Setting.LEASE, World.LEASE, Setting.CONNECT_TIMEOUT, atMost, Setting.CANDIDATE, "a"));
        return new Startup(world.host, settings, "the store", world.host.nanos());
    }

    private Supplier<ElectionStore> openAfter(int failures) {
        return () -> {
            if (tries++ < failures) {
                throw new StoreUnavailableException("connection refused");
            }
            return world.store;
        };
    }

    @Test
    void aStoreThatMayComeIsTriedAgainAfterEachPause() {
        long from = world.host.nanos();

        assertThat(startup(Duration.ofSeconds(10)).open(openAfter(3))).isSameAs(world.store);

        assertThat(tries).isEqualTo(4);
        assertThat(world.host.nanos() - from).isEqualTo(3 * RETRY);
    }

    @Test
    void whatCannotBeTriedAgainInTimeIsThrownAsItWas() {
        long from = world.host.nanos();

        assertThatThrownBy(() -> startup(Duration.ofNanos(2 * RETRY)).open(openAfter(100)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("connection refused");

        assertThat(tries).isEqualTo(2);
        assertThat(world.host.nanos() - from).isEqualTo(RETRY);
    }

    @Test
    void withoutAStartupTimeThereIsOneTry() {
        assertThatThrownBy(() -> startup(Duration.ZERO).open(openAfter(1))).hasMessage("connection refused");

        assertThat(tries).isEqualTo(1);
    }

    @Test
    void whatSomebodyHasToMendIsNotTriedAgain() {
        assertThatThrownBy(() -> startup(Duration.ofSeconds(10)).open(() -> {
                    tries++;
                    throw new StoreSetupException("the password is wrong");
                }))
                .isInstanceOf(StoreSetupException.class);

        assertThat(tries).isEqualTo(1);
    }
}
