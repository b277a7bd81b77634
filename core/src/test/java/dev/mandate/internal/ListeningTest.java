package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.LeaderView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a listener is told while what it looks at changes, or cannot be looked at. */
class ListeningTest {
    private static final LeaderView UNKNOWN = new LeaderView.Unknown(World.LEASE);
    private static final LeaderView VACANT = new LeaderView.Vacant(Duration.ZERO);

    private final World world = World.withSessions();
    private final List<LeaderView> told = new ArrayList<>();
    private LeaderView present = VACANT;
    /** Happens once it has looked. */
    private Runnable onLook = () -> {};

    private final Listening listening = new Listening(
            world.client("b").context(),
            new Listening.Source() {
                @Override
                public LeaderView present() {
                    LeaderView seen = present;
                    onLook.run();
                    return seen;
                }

                @Override
                public void remove(Observer observer) {}
            },
            told::add);

    private void changed(LeaderView now) {
        present = now;
        listening.changed();
        world.host.settle();
    }

    @Test
    void ageAloneIsNoNews() {
        changed(VACANT);
        changed(new LeaderView.Vacant(Duration.ofSeconds(1)));
        changed(UNKNOWN);
        changed(new LeaderView.Unknown(Duration.ofHours(1)));

        assertThat(told).containsExactly(VACANT, UNKNOWN);
    }

    @Test
    void anAnswerThatComesWhileItLooksAtAnOlderOneIsNotMissed() {
        onLook = () -> {
            onLook = () -> {};
            present = VACANT;
            listening.refreshed();
        };

        changed(UNKNOWN);

        assertThat(told).containsExactly(UNKNOWN, VACANT);
    }

    @Test
    void aChangeThatComesWhileItLooksAtTheOldStateIsNotMissed() {
        onLook = () -> {
            onLook = () -> {};
            present = UNKNOWN;
            listening.changed();
        };

        changed(VACANT);

        assertThat(told).containsExactly(VACANT, UNKNOWN);
    }

    /** Memory was short: nothing was told, so the same state is still news. */
    @Test
    void whatItCouldNotLookAtWasNotTold() {
        changed(VACANT);
        onLook = () -> {
            throw new InternalError("simulated: one allocation failed");
        };
        changed(VACANT);
        onLook = () -> {};

        changed(UNKNOWN);

        assertThat(told).containsExactly(VACANT, UNKNOWN);
    }
}
