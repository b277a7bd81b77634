package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections are made again so fast that the bound which {@code explain()} prints has room for it. */
class PaceTest {
    private static final int SILENT = 2;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 10, 15, 30, 60, 600})
    void recoveryHasRoomForTwoSilentServers(int seconds) {
        Duration lease = Duration.ofSeconds(seconds);
        LeaseTiming timing = LeaseTiming.of(lease);
        Duration recovery = timing.bounds(Traits.unseen(
                        NatsUrl.settings(StoreUrl.parse("nats://127.0.0.1:4222").withLease(lease))))
                .recovery();
        // Who is connected looks once more, and asks for the lead.
        Duration rest = Duration.ofNanos(timing.pollIntervalNanos() * 12 / 10 + 2 * timing.requestTimeoutNanos());

        assertThat(connected(Pace.of(lease)).plus(rest)).isLessThanOrEqualTo(recovery);
    }

    /**
     * How long it takes at most, once a server answers again. One more that is silent, or that one, may have been tried
     * in vain just before.
     */
    private static Duration connected(Pace pace) {
        Duration tried = pace.connect().plus(pace.report());
        Duration others = tried.multipliedBy(SILENT);
        Duration betweenTries = tried.plus(pace.pauseMost());
        Duration onADeadConnection = pace.ping().multipliedBy(Pace.PINGS_MAX + 1);
        Duration begun = betweenTries.compareTo(onADeadConnection) > 0 ? betweenTries : onADeadConnection;
        return begun.plus(others).plus(pace.answer());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10, 60})
    void whatIsSilentForLongIsNoticedWithinTheLease(int seconds) {
        Duration lease = Duration.ofSeconds(seconds);

        assertThat(Pace.of(lease).ping().multipliedBy(Pace.PINGS_MAX + 1)).isLessThan(lease);
    }

    /**
     * However short the lease, a connection has time to be made; however long, nobody waits for a dead one for minutes.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 500, 100, 500, 250, 200",
        "3, 600, 150, 1500, 300, 600",
        "8, 1600, 400, 2000, 800, 1600",
        "60, 2000, 500, 2000, 2000, 2000",
        ", 2000, 500, 2000, 1000, 2000",
    })
    void itFollowsTheLeaseWithinBounds(
            @Nullable Integer leaseSeconds, long connect, long report, long answer, long ping, long pauseMost) {
        Pace pace = Pace.of(leaseSeconds == null ? null : Duration.ofSeconds(leaseSeconds));

        assertThat(Stream.of(pace.connect(), pace.report(), pace.answer(), pace.ping(), pace.pauseMost()))
                .extracting(Duration::toMillis)
                .containsExactly(connect, report, answer, ping, pauseMost);
    }
}
