package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.function.BooleanSupplier;

class TestElectionContractTest extends ElectionContract {
    private static final int STEPS_MAX = 10_000;

    @Override
    Subject subject() {
        TestElection election = TestElection.vacant("contract");
        return new Subject() {
            private long token = 41;

            @Override
            public Election election() {
                return election;
            }

            @Override
            public Duration lease() {
                return Duration.ofSeconds(10);
            }

            @Override
            public void elect() {
                // "other" may have led in between.
                token += 10;
                election.elect(token);
            }

            @Override
            public void electOther() {
                election.electOther("other", ++token);
            }

            @Override
            public void lose(Leadership leadership, EndReason reason) {
                election.lose(reason);
            }

            @Override
            public void cut() {
                election.cutStore();
            }

            @Override
            public void heal() {
                election.healStore();
            }

            @Override
            public void pass(Duration time) {
                election.advance(time);
            }

            @Override
            public void until(BooleanSupplier condition) {
                for (int i = 0; i < STEPS_MAX && !condition.getAsBoolean(); i++) {
                    election.advance(Duration.ofMillis(50));
                }
                assertThat(condition.getAsBoolean()).isTrue();
            }

            @Override
            public void close() {
                election.client().close();
            }
        };
    }
}
