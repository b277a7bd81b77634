package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.Guarantee;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a store says about itself. */
class StoreTraitsTest {
    private static final StoreTraits PLAIN = StoreTraits.of("plain", Expiry.STORE_REMOVES, LeaseScope.SESSION);

    @Test
    void theLeastDemandingValuesAreTheDefaults() {
        assertThat(PLAIN.name()).isEqualTo("plain");
        assertThat(PLAIN.expiry()).isEqualTo(Expiry.STORE_REMOVES);
        assertThat(PLAIN.leaseScope()).isEqualTo(LeaseScope.SESSION);
        assertThat(PLAIN.guarantee()).isEqualTo(Guarantee.LEASED);
        assertThat(PLAIN.leaseMin()).isEqualTo(Duration.ofSeconds(1));
        assertThat(PLAIN.leaseMax()).isEqualTo(Duration.ofDays(1));
        assertThat(PLAIN.leaseStep()).isEqualTo(Duration.ofMillis(1));
        assertThat(PLAIN.expiryFactor()).isEqualTo(1.0);
        assertThat(PLAIN.expirySlack()).isZero();
        assertThat(PLAIN.lockDelay()).isZero();
        assertThat(PLAIN.reserve()).isZero();
        assertThat(PLAIN.watches()).isFalse();
        assertThat(PLAIN.ordersTerms()).isFalse();
        assertThat(PLAIN.leavesVacant()).isTrue();
        assertThat(PLAIN.valueBytesMax()).isEqualTo(65_536);
        assertThat(PLAIN.assumptions()).isEmpty();
    }

    /** Every change keeps all the others, in whatever order they are made. */
    @Test
    void everyChangeKeepsAllOthers() {
        StoreTraits one = PLAIN.withLeaseBounds(Duration.ofSeconds(15), Duration.ofSeconds(60), Duration.ofSeconds(1))
                .withExpiry(2.0, Duration.ofMillis(500))
                .withLockDelay(Duration.ofSeconds(15))
                .withReserve(Duration.ofMillis(700))
                .withWatch(true)
                .withOrderedTerms(true)
                .withLeftovers(false)
                .withValueBytesMax(100)
                .withGuarantee(Guarantee.LEASED)
                .withAssumptions("clocks", "disks");
        StoreTraits other = PLAIN.withAssumptions("clocks", "disks")
                .withGuarantee(Guarantee.LEASED)
                .withOrderedTerms(true)
                .withLeftovers(false)
                .withValueBytesMax(100)
                .withWatch(true)
                .withReserve(Duration.ofMillis(700))
                .withLockDelay(Duration.ofSeconds(15))
                .withExpiry(2.0, Duration.ofMillis(500))
                .withLeaseBounds(Duration.ofSeconds(15), Duration.ofSeconds(60), Duration.ofSeconds(1));

        for (StoreTraits traits : new StoreTraits[] {one, other}) {
            assertThat(traits.name()).isEqualTo("plain");
            assertThat(traits.guarantee()).isEqualTo(Guarantee.LEASED);
            assertThat(traits.leaseMin()).isEqualTo(Duration.ofSeconds(15));
            assertThat(traits.leaseMax()).isEqualTo(Duration.ofSeconds(60));
            assertThat(traits.leaseStep()).isEqualTo(Duration.ofSeconds(1));
            assertThat(traits.expiryFactor()).isEqualTo(2.0);
            assertThat(traits.expirySlack()).isEqualTo(Duration.ofMillis(500));
            assertThat(traits.lockDelay()).isEqualTo(Duration.ofSeconds(15));
            assertThat(traits.reserve()).isEqualTo(Duration.ofMillis(700));
            assertThat(traits.watches()).isTrue();
            assertThat(traits.ordersTerms()).isTrue();
            assertThat(traits.leavesVacant()).isFalse();
            assertThat(traits.valueBytesMax()).isEqualTo(100);
            assertThat(traits.assumptions()).containsExactly("clocks", "disks");
            assertThat(traits).hasToString("plain (STORE_REMOVES, lease per SESSION, LEASED)");
        }
        assertThat(PLAIN.watches()).as("the original is unchanged").isFalse();
    }

    /** A store that frees earlier than the lease would break the first promise: it cannot be described. */
    @Test
    void impossibleTraitsAreRefused() {
        Duration s = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PLAIN.withExpiry(0.99, s))
                .withMessageContaining("0.99");
        assertThatIllegalArgumentException().isThrownBy(() -> PLAIN.withExpiry(Double.NaN, s));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PLAIN.withReserve(s.negated()))
                .withMessageContaining("reserve");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PLAIN.withExpiry(1, s.negated()))
                .withMessageContaining("PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PLAIN.withLockDelay(s.negated()))
                .withMessageContaining("PT-1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PLAIN.withValueBytesMax(0))
                .withMessageContaining("0 bytes");
        assertThat(PLAIN.withExpiry(1.0, Duration.ZERO).expiryFactor()).isEqualTo(1.0);
    }
}
