package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.consul.TxnReply.Failure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a transaction's failures mean, which Consul tells in words. */
class TxnReplyTest {
    private static final String MISSING = "key \"service/jobs/leader\" doesn't exist";

    private static TxnReply failed(Failure... failures) {
        return new TxnReply(List.of(), List.of(failures));
    }

    @ParameterizedTest
    @CsvSource({
        "'failed to lock key \"x\", lock isn''t held, or lock-delay is in effect', false, true",
        "failed to lock key \"x\" due to lock delay until 2026-01-01, false, true",
        "'Permission denied: token with AccessorID ''x'' lacks permission ''key:write''', true, false",
        "'current modify index 7 doesn''t match', false, false"
    })
    void aFailureSaysWhetherATokenLacksARightOrALockIsDelayed(String what, boolean isDenied, boolean isDelayed) {
        for (TxnReply reply :
                List.of(failed(new Failure(0, what)), failed(new Failure(0, "something else"), new Failure(1, what)))) {
            assertThat(reply.isDenied()).isEqualTo(isDenied);
            assertThat(reply.isDelayed()).isEqualTo(isDelayed);
        }
    }

    @Test
    void aTransactionThatFailedForNothingButMissingKeysIsAReadOfNothing() {
        TxnReply misses = failed(new Failure(0, MISSING), new Failure(3, MISSING));

        assertThat(misses.missing()).containsExactlyInAnyOrder(0, 3);
        assertThat(misses.onlyMisses()).isTrue();
    }

    /** Else what failed for another reason would be taken for a vacancy. */
    @Test
    void oneOtherFailureIsEnoughToTellNothing() {
        TxnReply mixed = failed(new Failure(0, MISSING), new Failure(1, "Permission denied"));

        assertThat(mixed.missing()).containsExactly(0);
        assertThat(mixed.onlyMisses()).isFalse();
        assertThat(failed().onlyMisses()).isFalse();
        assertThat(failed().missing()).isEmpty();
    }

    /** A transaction shows a key once for each of its operations. */
    @Test
    void theNewestIndexOfAKeyCounts() {
        TxnReply reply = new TxnReply(
                List.of(
                        new KvEntry("a", "", "", 7),
                        new KvEntry("a", "", "", 9),
                        new KvEntry("a", "", "", 8),
                        new KvEntry("b", "", "", 11)),
                List.of());

        assertThat(reply.indexOf("a")).isEqualTo(9);
        assertThat(reply.indexOf("b")).isEqualTo(11);
        assertThat(reply.indexOf("c")).isZero();
    }
}
