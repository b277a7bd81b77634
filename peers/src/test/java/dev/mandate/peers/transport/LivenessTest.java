package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.transport.Liveness.Verdict;
import org.junit.jupiter.api.Test;

class LivenessTest {
    private static final long AFTER = 100;
    private static final long TIMEOUT = 50;

    private final Liveness liveness = new Liveness(AFTER, TIMEOUT);

    @Test
    void anIdleConnectionIsNeverAsked() {
        assertThat(liveness.wakeAtNanos()).isEqualTo(Liveness.NEVER);
        assertThat(liveness.due(Long.MAX_VALUE)).isEqualTo(Verdict.WAIT);
    }

    @Test
    void silenceAfterAPayloadIsAskedAboutAndThenTheEnd() {
        liveness.sent(1_000);
        assertThat(liveness.wakeAtNanos()).isEqualTo(1_000 + AFTER);
        assertThat(liveness.due(1_000 + AFTER - 1)).isEqualTo(Verdict.WAIT);
        assertThat(liveness.due(1_000 + AFTER)).isEqualTo(Verdict.ASK);
        assertThat(liveness.wakeAtNanos()).isEqualTo(1_000 + AFTER + TIMEOUT);
        assertThat(liveness.due(1_000 + AFTER + TIMEOUT - 1)).isEqualTo(Verdict.WAIT);
        assertThat(liveness.due(1_000 + AFTER + TIMEOUT)).isEqualTo(Verdict.SILENT);
    }

    @Test
    void morePayloadsDoNotPutTheQuestionOff() {
        liveness.sent(1_000);
        liveness.sent(1_090);
        assertThat(liveness.due(1_000 + AFTER)).isEqualTo(Verdict.ASK);
        liveness.sent(1_110);
        assertThat(liveness.due(1_000 + AFTER + TIMEOUT)).isEqualTo(Verdict.SILENT);
    }

    @Test
    void anythingThatComesEndsIt() {
        liveness.sent(1_000);
        liveness.heard();
        assertThat(liveness.wakeAtNanos()).isEqualTo(Liveness.NEVER);
        liveness.sent(2_000);
        assertThat(liveness.due(2_000 + AFTER)).isEqualTo(Verdict.ASK);
        liveness.heard();
        assertThat(liveness.due(2_000 + AFTER + TIMEOUT)).isEqualTo(Verdict.WAIT);
    }

    @Test
    void aProcessThatWasStoppedAsksBeforeItGivesUp() {
        liveness.sent(1_000);
        assertThat(liveness.due(1_000_000)).isEqualTo(Verdict.ASK);
        assertThat(liveness.due(1_000_000 + TIMEOUT - 1)).isEqualTo(Verdict.WAIT);
    }

    @Test
    void whoIsAskedTwiceHasNotMoreTime() {
        liveness.ask(1_000);
        liveness.ask(1_040);
        assertThat(liveness.due(1_000 + TIMEOUT)).isEqualTo(Verdict.SILENT);
    }
}
