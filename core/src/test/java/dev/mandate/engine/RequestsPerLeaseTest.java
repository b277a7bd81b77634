package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a client may ask for in a lease, which its load is judged by, and how timings are shown; worked out by hand. */
class RequestsPerLeaseTest {
    private static final Duration L = Duration.ofSeconds(60);

    private static LeaseTiming.Draft draft() {
        return LeaseTiming.of(L, 1.1);
    }

    /** 13 polls at 4.8 s, 4 renewals at 18 s, 3 listings at 27 s, 6 for one round; the session once more, with 2. */
    @Test
    void aLeaseHasRoomForPollsRenewalsListingsAndOneRound() {
        LeaseTiming timing = LeaseTiming.of(L);

        assertThat(timing.requestsPerLease(1, false)).isEqualTo(13 + 4 + 6);
        assertThat(timing.requestsPerLease(3, false)).isEqualTo(3 * (13 + 4 + 6));
        assertThat(timing.requestsPerLease(1, true)).isEqualTo(13 + 3 + 6 + 4 + 2);
        assertThat(timing.requestsPerLease(3, true)).isEqualTo(3 * (13 + 3 + 6) + 4 + 2);
        assertThat(timing.requestsPerLease(0, true)).isEqualTo(4 + 2);
    }

    @Test
    void eachPartFollowsItsSetting() {
        assertThat(draft().pollInterval(Duration.ofSeconds(20)).build().requestsPerLease(1, false))
                .isEqualTo(4 + 4 + 6);
        assertThat(draft().renewInterval(Duration.ofSeconds(10)).build().requestsPerLease(1, false))
                .isEqualTo(13 + 7 + 6);
        assertThat(draft().recordCheckInterval(Duration.ofSeconds(5)).build().requestsPerLease(1, true))
                .isEqualTo(13 + 14 + 6 + 4 + 2);
        assertThat(draft().renewInterval(Duration.ofSeconds(10)).build().requestsPerLease(2, true))
                .isEqualTo(2 * (13 + 3 + 6) + 7 + 2);
    }

    @Test
    void retriesAreAsManyAsPollsButEightAtLeast() {
        assertThat(LeaseTiming.of(L).retriesPerLease()).isEqualTo(10);
        assertThat(draft().pollInterval(Duration.ofSeconds(1)).build().retriesPerLease())
                .isEqualTo(60);
        assertThat(draft().pollInterval(Duration.ofSeconds(30)).build().retriesPerLease())
                .isEqualTo(8);
    }

    private static String splay(long nanos) {
        return draft().splay(Duration.ofNanos(nanos)).build().toString().replaceAll(".* splay=(.*) coolDown=.*", "$1");
    }

    @Test
    void timesAreShownInTheUnitThatShowsThemWhole() {
        assertThat(splay(0)).isEqualTo("0 s");
        assertThat(splay(2_000_000_000L)).isEqualTo("2 s");
        assertThat(splay(1_500_000_000L)).isEqualTo("1500 ms");
        assertThat(splay(999_999_500L)).isEqualTo("999999 us");
        assertThat(splay(1_000_000_500L)).isEqualTo("1.000000 s");
        assertThat(splay(12_003_004_567L)).isEqualTo("12.003004 s");
    }

    @Test
    void equalTimingsHaveOneHashCodeAndOthersHaveOthers() {
        assertThat(LeaseTiming.of(L)).hasSameHashCodeAs(draft().build());
        assertThat(LeaseTiming.of(L).hashCode())
                .isNotEqualTo(draft().splay(Duration.ZERO).build().hashCode());
    }
}
