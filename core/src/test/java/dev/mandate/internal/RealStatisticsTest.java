package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.spi.Verb;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What a client counts, in real time, on the memory store and its faults. */
class RealStatisticsTest {
    private static void await(ElectionClient client, String what, Predicate<ClientStatistics> condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.test(client.statistics())) {
            assertThat(System.nanoTime()).as("waiting for " + what).isLessThan(until);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static long sent(ClientStatistics now) {
        return now.calls().values().stream().mapToLong(CallStatistics::sent).sum();
    }

    @Test
    void aLossAnOverrunALostSessionAndAGapAreCounted() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("counted");
                ElectionClient a = ElectionClient.connect("memory:counted?lease=3s&as=a&candidate=a");
                ElectionClient b = ElectionClient.connect("memory:counted?lease=3s&as=b&candidate=b")) {
            long connected = faults.requests();
            Leadership first = a.election("invoices").campaign("at a");
            assertThat(a.statistics().elections())
                    .singleElement()
                    .satisfies(election -> assertThat(election.fencingToken()).contains(first.fencingToken()));
            await(a, "every request to be counted", now -> sent(now) == faults.requests() - connected);

            faults.only("a").cutOff();
            // Not closed, although its term is over: an overrun.
            assertThat(first.ended().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isEqualTo(EndReason.LEASE_RAN_OUT);
            await(a, "an overrun", now -> now.overruns() == 1);
            await(a, "a lost session", now -> now.sessionsLost() >= 1);
            try (Leadership second = b.election("invoices").campaign("at b")) {
                assertThat(second.isValid()).isTrue();
            }
            assertThat(a.statistics().termsEnded()).containsEntry(EndReason.LEASE_RAN_OUT, 1L);
            assertThat(a.statistics().oldestRenewalAge()).isEmpty();
            await(a, "unknown outcomes", now -> now.calls().get(Verb.SESSION).count(CallOutcome.UNKNOWN) > 0);

            faults.heal();
            await(a, "a gap", now -> now.watchGaps() >= 1);
            first.close();
            try (Leadership again = a.election("invoices").campaign("at a")) {
                assertThat(again.isValid()).isTrue();
            }
            assertThat(a.statistics().termsBegun()).isEqualTo(2);
            assertThat(a.statistics().sessionsOpened()).isGreaterThanOrEqualTo(2);
            assertThat(b.statistics().termsBegun()).isEqualTo(1);
            assertThat(b.statistics().overruns()).isZero();
        }
    }
}
