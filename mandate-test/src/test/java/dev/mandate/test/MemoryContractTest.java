package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;

/** The same, of the client that programs have in production, in real time. */
@Tag("long")
class MemoryContractTest extends ElectionContract {
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration WITHIN = Duration.ofSeconds(60);

    @Override
    Subject subject() {
        String name = "contract-" + UUID.randomUUID();
        // A busy machine may take longer than the default, two fifths of a second, to answer.
        String url = "memory:" + name + "?lease=" + LEASE.toMillis()
                + "ms&requestTimeout=1s&renewInterval=1s&drainTimeout=500ms";
        return new Subject() {
            private final MemoryFaults faults = MemoryFaults.of(name);
            private final ElectionClient client = ElectionClient.connect(url + "&as=a");
            private final ElectionClient other =
                    ElectionClient.builder(url).candidate("other").connect();

            @Override
            public Election election() {
                return client.election("contract");
            }

            @Override
            public Duration lease() {
                return LEASE;
            }

            @Override
            public void elect() {
                // A candidate wins by itself.
            }

            @Override
            public void electOther() {
                won();
            }

            private Leadership won() {
                return other.election("contract")
                        .campaignAsync("other")
                        .toCompletableFuture()
                        .join();
            }

            @Override
            public void lose(Leadership leadership, EndReason reason) {
                switch (reason) {
                    case EVICTED -> other.election("contract").evict();
                    case LEASE_RAN_OUT -> {
                        cut();
                        until(() -> !leadership.isValid());
                        heal();
                    }
                    case DISPLACED -> {
                        faults.overwriteRecord("contract", "a record of another program");
                        until(() -> !leadership.isValid());
                        faults.deleteRecord("contract");
                    }
                    case VANISHED -> faults.deleteRecord("contract");
                    case SESSION_ENDED -> {
                        faults.only("a").dropHints();
                        faults.expireNow("contract");
                        until(() -> !leadership.isValid());
                        heal();
                    }
                    default -> throw new AssertionError(reason);
                }
            }

            @Override
            public void cut() {
                faults.only("a").cutOff();
            }

            @Override
            public void heal() {
                faults.only("a").heal();
            }

            @Override
            public void pass(Duration time) {
                try {
                    Thread.sleep(time.toMillis());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void until(BooleanSupplier condition) {
                long until = System.nanoTime() + WITHIN.toNanos();
                while (!condition.getAsBoolean() && System.nanoTime() - until < 0) {
                    pass(Duration.ofMillis(5));
                }
                assertThat(condition.getAsBoolean()).isTrue();
            }

            @Override
            public void close() {
                faults.close();
                client.close();
                other.close();
            }
        };
    }
}
