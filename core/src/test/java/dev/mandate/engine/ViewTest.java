package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which views are news to people. */
class ViewTest {
    private record At(int version) implements Basis {}

    private record Alive(int version) implements Liveness {}

    private static LeaderRecord record(Id attempt, String value) {
        return LeaderRecord.proposal("c", new Id(1, 2), attempt, value, Duration.ofSeconds(10), 0);
    }

    private static final LeaderRecord RECORD = record(new Id(3, 4), "value");

    private static View led(int version, long term, LeaderRecord record) {
        return View.led(Observation.held(Rig.KEY, new At(version), new Alive(version), term, record), true);
    }

    private static View foreign(int version, String shown) {
        return View.led(Observation.foreign(Rig.KEY, new At(version), new Alive(version), 1, shown, null), true);
    }

    private static void tellTheSame(View a, View b, boolean same) {
        assertThat(a.tellsTheSameAs(b)).isEqualTo(same);
        assertThat(b.tellsTheSameAs(a)).isEqualTo(same);
    }

    /** A renewal is news to nobody; another attempt, term, value or flag is. */
    @Test
    void whatPeopleAreToldOfALeader() {
        View first = led(1, 7, RECORD);

        tellTheSame(first, led(2, 7, RECORD), true);
        tellTheSame(first, led(1, 8, RECORD), false);
        tellTheSame(first, led(1, 7, record(new Id(5, 6), "value")), false);
        tellTheSame(first, led(1, 7, record(new Id(3, 4), "other")), false);
        tellTheSame(first, led(1, 7, RECORD.askedToLeave()), false);
        tellTheSame(first, View.VACANT, false);
        tellTheSame(View.VACANT, View.VACANT, true);
    }

    @Test
    void aStrangerIsKnownByWhatItWrote() {
        tellTheSame(foreign(1, "somebody"), foreign(2, "somebody"), true);
        tellTheSame(foreign(1, "somebody"), foreign(1, "somebody else"), false);
        tellTheSame(foreign(1, "somebody"), led(1, 1, RECORD), false);
        tellTheSame(foreign(1, foreignTextOf(RECORD)), led(1, 1, RECORD), false);
    }

    /** A stranger may show what a leader of ours would. */
    private static String foreignTextOf(LeaderRecord record) {
        return Observation.held(Rig.KEY, new At(1), new Alive(1), 1, record).shown();
    }

    @Test
    void whetherItIsCertainIsNewsToo() {
        Observation.Held held = Observation.held(Rig.KEY, new At(1), new Alive(1), 7, RECORD);

        tellTheSame(View.led(held, true), View.led(held, false), false);
        tellTheSame(View.led(held, true), View.led(held, true), true);
    }
}
