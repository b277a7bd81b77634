package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What stands in the store for the holder of a lease. */
class LeaderRecordTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final LeaderRecord FULL = new LeaderRecord(
            "a", new Id(1, 2), new Id(3, 4), "value", LEASE, 7, true, 1_000, Map.of("color", "\"red\""));

    @Test
    void aProposalHasNeitherTermNorFlagNorUnknownFields() {
        LeaderRecord proposal = LeaderRecord.proposal("a", new Id(1, 2), new Id(3, 4), "value", LEASE, 1_000);

        assertThat(proposal.term()).isZero();
        assertThat(proposal.leave()).isFalse();
        assertThat(proposal.unknown()).isEmpty();
    }

    /** Every change keeps everything else: the flag and the unknown fields live as long as the attempt. */
    @Test
    void everyChangeKeepsEverythingElse() {
        assertThat(FULL.withTerm(9))
                .isEqualTo(new LeaderRecord(
                        "a", new Id(1, 2), new Id(3, 4), "value", LEASE, 9, true, 1_000, Map.of("color", "\"red\"")));
        assertThat(FULL.withTerm(7)).isSameAs(FULL);
        assertThat(FULL.withValue("other"))
                .isEqualTo(new LeaderRecord(
                        "a", new Id(1, 2), new Id(3, 4), "other", LEASE, 7, true, 1_000, Map.of("color", "\"red\"")));
        LeaderRecord calm = new LeaderRecord(
                "a", new Id(1, 2), new Id(3, 4), "value", LEASE, 7, false, 1_000, Map.of("color", "\"red\""));
        assertThat(calm.askedToLeave()).isEqualTo(FULL);
        assertThat(FULL.askedToLeave()).isEqualTo(FULL);
    }

    @Test
    void aLeaseIsPositiveAndATermIsNotNegative() {
        for (Duration lease : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LeaderRecord.proposal("a", new Id(1, 2), new Id(3, 4), "value", lease, 0))
                    .withMessageContainingAll("lease", lease.toString(), "more than 0");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FULL.withTerm(-1))
                .withMessageContainingAll("term", "-1", "0 or more");
    }

    @Test
    void unknownFieldsAreCopied() {
        Map<String, String> unknown = new HashMap<>(Map.of("a", "1"));
        LeaderRecord record = new LeaderRecord("a", Id.NONE, Id.NONE, "value", LEASE, 0, false, 0, unknown);

        unknown.clear();

        assertThat(record.unknown()).containsOnlyKeys("a");
    }
}
