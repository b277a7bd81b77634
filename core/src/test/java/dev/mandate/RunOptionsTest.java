package dev.mandate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** How a task is treated. */
class RunOptionsTest {
    private final BooleanSupplier healthy = () -> true;

    @Test
    void nothingIsDemandedByDefault() {
        assertThat(RunOptions.DEFAULTS.campaignAgain()).isFalse();
        assertThat(RunOptions.DEFAULTS.progressTimeout()).isEmpty();
        assertThat(RunOptions.DEFAULTS.healthCheck()).isEmpty();
        assertThat(RunOptions.DEFAULTS.healthEvery()).isEqualTo(Duration.ofSeconds(5));
        assertThat(RunOptions.DEFAULTS.healthTimeout()).isEqualTo(Duration.ofSeconds(1));
    }

    /** Every change keeps all the others, in whatever order they are made. */
    @Test
    void everyChangeKeepsAllOthers() {
        Duration beat = Duration.ofSeconds(2);
        Duration every = Duration.ofSeconds(3);
        Duration timeout = Duration.ofSeconds(4);
        RunOptions one = RunOptions.DEFAULTS
                .withCampaignAgain()
                .withProgressTimeout(beat)
                .withHealthCheck(healthy, every, timeout);
        RunOptions other = RunOptions.DEFAULTS
                .withHealthCheck(healthy, every, timeout)
                .withProgressTimeout(beat)
                .withCampaignAgain();

        for (RunOptions options : new RunOptions[] {one, other}) {
            assertThat(options.campaignAgain()).isTrue();
            assertThat(options.progressTimeout()).contains(beat);
            assertThat(options.healthCheck()).containsSame(healthy);
            assertThat(options.healthEvery()).isEqualTo(every);
            assertThat(options.healthTimeout()).isEqualTo(timeout);
        }
        assertThat(RunOptions.DEFAULTS.campaignAgain()).isFalse();
    }

    @Test
    void aTimeThatIsNotPositiveIsRefusedByName() {
        Duration s = Duration.ofSeconds(1);
        for (Duration bad : new Duration[] {Duration.ZERO, s.negated()}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RunOptions.DEFAULTS.withProgressTimeout(bad))
                    .withMessageContainingAll("progressTimeout", bad.toString(), "more than 0");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RunOptions.DEFAULTS.withHealthCheck(healthy, bad, s))
                    .withMessageContaining("healthEvery");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RunOptions.DEFAULTS.withHealthCheck(healthy, s, bad))
                    .withMessageContaining("healthTimeout");
        }
    }
}
