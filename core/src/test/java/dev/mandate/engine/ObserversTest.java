package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whoever only follows who leads looks every third of a lease while the watch works, and every tenth (here 1.25 s)
 * while it doesn't. Nobody waits for an observer, so what a watch missed may show that much later.
 */
class ObserversTest {
    private static final long THIRD = Rig.L.toNanos() / 3;

    private long rival;

    /** Follows an election that somebody else leads, and whose watch is open; it has looked for long enough to know. */
    private Rig observing(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rival = rig.rivalTakes(Rig.L);
        rig.watch(true);
        rig.observe(true);
        passRenewed(rig, 30);
        return rig;
    }

    /** The rival renews each second, which no hint tells. */
    private void passRenewed(Rig rig, int seconds) {
        for (int i = 0; i < seconds; i++) {
            rig.rivalRenews(rival);
            rig.passServed(Duration.ofSeconds(1));
        }
    }

    /** From one look to the next, in nanoseconds, while {@code seconds} pass. */
    private List<Long> distances(Rig rig, int seconds) {
        List<Long> looks = new ArrayList<>();
        long until = rig.nanos + seconds * 1_000_000_000L;
        while (rig.nanos < until) {
            int before = rig.said(ElectionAction.Read.class).size();
            if (rival >= 0) {
                rig.rivalRenews(rival);
            }
            rig.passServed(Duration.ofMillis(10));
            if (rig.said(ElectionAction.Read.class).size() > before) {
                looks.add(rig.nanos);
            }
        }
        List<Long> distances = new ArrayList<>();
        for (int i = 1; i < looks.size(); i++) {
            distances.add(looks.get(i) - looks.get(i - 1));
        }
        return distances;
    }

    private void looksEveryThird(Rig rig) {
        assertThat(distances(rig, 20)).hasSizeBetween(4, 5).allMatch(d -> Math.abs(d - THIRD) <= 20_000_000);
    }

    private void looksEveryPoll(Rig rig) {
        assertThat(distances(rig, 5)).hasSizeBetween(2, 3).allMatch(d -> Math.abs(d - 1_250_000_000L) <= 20_000_000);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anObserverLooksEveryThirdOfALeaseWhileHintsWork(StoreKind kind) {
        looksEveryThird(observing(kind));
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anObserverLooksEveryPollWithoutAWatch(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rival = rig.rivalTakes(Rig.L);
        rig.observe(true);
        passRenewed(rig, 30);

        looksEveryPoll(rig);
    }

    /** The watch is over elections: that it works says nothing of registrations. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anObserverOfARegistrationLooksEveryPoll(StoreKind kind) {
        Rig rig = Rig.on(kind).registering().idle();
        rival = rig.rivalTakes(Rig.L);
        rig.watch(true);
        rig.observe(true);
        passRenewed(rig, 30);

        looksEveryPoll(rig);
    }

    /** It does not wait for its next look first. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anObserverWhoseWatchBreaksLooksEveryPollAtOnce(StoreKind kind) {
        Rig rig = observing(kind);
        int looks = rig.said(ElectionAction.Read.class).size();
        while (rig.said(ElectionAction.Read.class).size() == looks) {
            passRenewed(rig, 1);
        }
        looks++;

        rig.watch(false);
        rig.passServed(Duration.ofMillis(1_250));

        assertThat(rig.said(ElectionAction.Read.class)).hasSize(looks + 1);
        looksEveryPoll(rig);
        rig.watch(true);
        passRenewed(rig, 3);
        looksEveryThird(rig);
    }

    /** A watch that is open, and tells nothing, does not work: a look shows what no hint told. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatALookShowsAndNoHintToldProvesThatHintsDoNotWork(StoreKind kind) {
        Rig rig = observing(kind);
        rig.update(rig.storedHeld().record().withValue("moved"), Intent.PROCLAIM);
        passRenewed(rig, 4);
        assertThat(rig.machine.told(rig.key).held().record().value()).isEqualTo("moved");

        looksEveryPoll(rig);
    }

    /** Any hint, or a gap, shows that the watch is there. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintProvesThatHintsWorkAgain(StoreKind kind) {
        for (boolean byGap : new boolean[] {false, true}) {
            Rig rig = observing(kind);
            rig.update(rig.storedHeld().record().withValue("moved"), Intent.PROCLAIM);
            passRenewed(rig, 4);
            looksEveryPoll(rig);

            if (byGap) {
                rig.gap();
            } else {
                rig.hint(rig.stored());
            }
            passRenewed(rig, 3);

            looksEveryThird(rig);
        }
    }

    /** What a hint told is no news to the look that it asks for. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whatAHintToldDisprovesNothing(StoreKind kind) {
        Rig rig = observing(kind);
        rig.update(rig.storedHeld().record().withValue("moved"), Intent.PROCLAIM);
        rig.hint(rig.stored());
        passRenewed(rig, 3);
        assertThat(rig.machine.told(rig.key).held().record().value()).isEqualTo("moved");

        looksEveryThird(rig);
    }

    /** A leader takes over as soon as before: "a follower looks every poll". */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whoStandsLooksEveryPollThoughHintsWork(StoreKind kind) {
        Rig rig = observing(kind);
        rig.campaign("value");
        passRenewed(rig, 3);

        looksEveryPoll(rig);
    }

    /**
     * Where observers judge: "a holder is reported as gone only after a read has shown a full lease of silence", and
     * that read is made in time.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aSilenceIsToldAsSoonAsItHasLastedForALease(StoreKind kind) {
        Rig rig = observing(kind);
        rig.rivalRenews(rival);
        int looks = rig.said(ElectionAction.Read.class).size();
        while (rig.said(ElectionAction.Read.class).size() == looks) {
            rig.passServed(Duration.ofMillis(10));
        }
        long seen = rig.nanos;

        while (rig.machine.told(rig.key).state() == View.State.LED) {
            rig.passServed(Duration.ofMillis(10));
        }

        assertThat(rig.nanos - seen).isBetween(Rig.L.toNanos() - 20_000_000, Rig.L.toNanos() + 20_000_000);
    }

    /** A hint that comes late shows nothing that has not been looked at: nobody looks once more for that. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aLateHintPutsNoSilenceOff(StoreKind kind) {
        Rig rig = observing(kind);
        Observation older = rig.stored();
        rig.rivalRenews(rival);
        int looks = rig.said(ElectionAction.Read.class).size();
        while (rig.said(ElectionAction.Read.class).size() == looks) {
            rig.passServed(Duration.ofMillis(10));
        }
        long seen = rig.nanos;

        rig.passServed(Duration.ofSeconds(2));
        rig.hint(older);
        while (rig.machine.told(rig.key).state() == View.State.LED) {
            rig.passServed(Duration.ofMillis(10));
        }

        assertThat(rig.nanos - seen).isBetween(Rig.L.toNanos() - 20_000_000, Rig.L.toNanos() + 20_000_000);
        rival = -1;
        looksEveryThird(rig);
    }

    /**
     * "The death of a leader 1.4 L after its last renewal, plus three answers": a lease, and two of them, after a look
     * has shown that renewal, whenever the looks in between happened to be made.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"JUDGES_SESSION", "JUDGES_RECORD"})
    void aDeathShowsInTimeWheneverTheLooksBeforeItWereMade(StoreKind kind) {
        long answerNanos = 500_000_000L;
        long worst = 0;
        for (int seed = 0; seed < 300; seed++) {
            Rig rig = Rig.on(kind).entropy(new SeededEntropy(seed)).idle();
            rival = rig.rivalTakes(Rig.L);
            rig.watch(true);
            rig.observe(true);
            for (int i = 0; i < 8; i++) {
                rig.rivalRenews(rival);
                passAnswered(rig, 3_300 + seed % 37 * 10, answerNanos);
            }
            rig.rivalRenews(rival);
            int looks = rig.said(ElectionAction.Read.class).size();
            while (rig.said(ElectionAction.Read.class).size() == looks) {
                passAnswered(rig, 10, answerNanos);
            }
            long seen = rig.nanos;
            while (rig.machine.told(rig.key).state() == View.State.LED) {
                passAnswered(rig, 10, answerNanos);
            }
            worst = Math.max(worst, rig.nanos - seen);
        }
        assertThat(worst).isLessThanOrEqualTo(Rig.L.toNanos() + 2 * answerNanos + 30_000_000L);
    }

    /** Each look is answered after {@code answerNanos}. */
    private static void passAnswered(Rig rig, int millis, long answerNanos) {
        for (int i = 0; i < millis; i += 10) {
            rig.pass(Duration.ofMillis(10));
            for (ElectionAction.Read read : rig.all(ElectionAction.Read.class)) {
                rig.pass(Duration.ofNanos(answerNanos));
                rig.answer(read);
            }
        }
    }

    /**
     * Where observers judge, a holder that was seen only once may be dead: until it is known to live it is looked at as
     * often as before.
     */
    @Test
    void aHolderThatMayBeDeadIsLookedAtEveryPoll() {
        Rig rig = Rig.on(StoreKind.JUDGES_SESSION).idle();
        rival = -1;
        rig.rivalTakes(Rig.L);
        rig.watch(true);
        rig.observe(true);

        assertThat(distances(rig, 5)).hasSizeBetween(2, 4).allMatch(d -> d <= 1_270_000_000L);
        assertThat(rig.machine.told(rig.key).verified()).isFalse();
    }

    /** A vacancy is watched like a leader: who takes it is told by a hint. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aVacancyIsLookedAtEveryThirdOfALeaseToo(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rival = -1;
        rig.watch(true);
        rig.observe(true);
        rig.passServed(Duration.ofSeconds(10));
        assertThat(rig.machine.told(rig.key).state()).isEqualTo(View.State.VACANT);

        looksEveryThird(rig);
        rival = rig.rivalTakes(Rig.L);
        Observation taken = rig.stored();
        rig.hint(taken);
        rig.passServed(Duration.ofMillis(300));
        assertThat(rig.machine.told(rig.key).state()).isEqualTo(View.State.LED);
    }
}
