package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A record that is shown again takes no more memory. */
class RepeatedRecordTest {
    private final Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
    private final Observation.Held first = rig.held();

    /** What a store reads anew: equal, but another object. */
    private static Observation.Held readAnew(Observation.Held held, LeaderRecord record) {
        return Observation.held(held.key(), held.basis(), held.liveness(), held.term(), record);
    }

    private static LeaderRecord copy(LeaderRecord record) {
        return record.withValue("another").withValue(record.value());
    }

    private void list(Observation.Held shown) {
        rig.pass(Duration.ofMillis(10));
        rig.on(new ElectionEvent.Swept(rig.nanos, shown));
    }

    @Test
    void aRecordThatIsShownAgainIsKeptOnce() {
        Observation.Held again = readAnew(first, copy(first.record()));
        assertThat(again.record()).isEqualTo(first.record()).isNotSameAs(first.record());

        rig.hint(again);
        list(again);

        assertThat(rig.held()).isSameAs(first);
        assertThat(rig.isValid()).isTrue();
    }

    @Test
    void aRecordThatChangedIsKeptInstead() {
        Observation.Held changed = readAnew(first, first.record().withValue("newer"));

        list(changed);

        assertThat(rig.held()).isSameAs(changed);
    }
}
