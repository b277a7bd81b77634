package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Settle;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever counts what elections meet sees what each of them receives, and in the role in which it does. */
class ProbeTest {
    private final List<String> met = new ArrayList<>();
    private final CandidateMachine machine = new CandidateMachine(
            Rig.on(StoreKind.REMOVES_RECORD).settle(Settle.NEVER).idle().settings,
            new SteadyEntropy(),
            CandidateMachine.IDLE_MAX,
            (key, role, event) -> met.add(
                    event.getClass().getSimpleName() + " in " + role.getClass().getSimpleName()));

    private static Now at(long nanos) {
        return new Now(nanos, nanos, nanos / 1_000_000);
    }

    @Test
    void everyElectionThatReceivesSomethingIsSeen() {
        machine.on(RecordKey.election("a"), new ElectionEvent.Observe(true), at(0));
        machine.on(RecordKey.election("b"), new ElectionEvent.Observe(true), at(0));
        machine.onGap(at(1));

        assertThat(met).containsExactly("Observe in Idle", "Observe in Idle", "Gap in Following", "Gap in Following");
    }

    @Test
    void timeIsReceivedOnlyByWhomItConcerns() {
        machine.on(RecordKey.election("a"), new ElectionEvent.Observe(true), at(0));
        machine.on(RecordKey.election("b"), new ElectionEvent.Observe(true), at(1));
        met.clear();

        machine.tick(at(machine.wakeAtNanos()));

        assertThat(met).containsExactly("Tick in Following");
    }
}
