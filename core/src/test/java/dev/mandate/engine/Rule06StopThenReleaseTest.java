package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Rule 6: stop, then release. */
class Rule06StopThenReleaseTest {

    /**
     * "Ending a term makes {@code isValid()} false, interrupts the work and waits for it (drain budget) while renewing; [...] then comes the
     * release." Here the loop was held up past the stop of the session, and finds no request under way.
     */
    @Test
    void aLatchedSessionIsNotEndedWhileWorkDrainsUnderIt() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);

        rig.pause(Duration.ofMillis(7_400));
        rig.tick();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
        rig.answer(SessionAction.Renew.class);
        rig.workStopped();
        assertThat(rig.said(SessionAction.End.class)).hasSize(1);
    }
}
