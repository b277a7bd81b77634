package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a read, a refusal or a hint showed. */
class ObservationTest {
    private static final RecordKey KEY = RecordKey.election("e");
    private static final LeaderRecord RECORD =
            LeaderRecord.proposal("a", new Id(1, 2), new Id(3, 4), "value", Duration.ofSeconds(10), 0);

    private record At(long revision) implements Basis, Liveness {}

    @Test
    void aVacancyHasAKeyAndABasis() {
        Observation.Vacant vacant = Observation.vacant(KEY, new At(5));

        assertThat(vacant.key()).isEqualTo(KEY);
        assertThat(vacant.basis()).isEqualTo(new At(5));
        assertThat(vacant).hasToString("vacant at At[revision=5]");
    }

    /** "A record without a term has as its term the revision it stands at" (section 5). */
    @Test
    void aRecordWithoutATermHasTheRevisionForOne() {
        assertThat(Observation.held(KEY, new At(5), new At(4), 17, RECORD).term())
                .isEqualTo(17);
        assertThat(Observation.held(KEY, new At(5), new At(4), 17, RECORD.withTerm(3))
                        .term())
                .isEqualTo(3);
    }

    @Test
    void aRecordOfOursSaysWhoseItIs() {
        Observation.Held held = Observation.held(KEY, new At(5), new At(4), 17, RECORD);

        assertThat(held.key()).isEqualTo(KEY);
        assertThat(held.basis()).isEqualTo(new At(5));
        assertThat(held.liveness()).isEqualTo(new At(4));
        assertThat(held.isForeign()).isFalse();
        assertThat(held.record()).isSameAs(RECORD);
        assertThat(held.shown()).isEqualTo("a");
        assertThat(held.lease()).contains(Duration.ofSeconds(10));
        assertThat(held.isAttempt(new Id(3, 4))).isTrue();
        assertThat(held.isAttempt(new Id(1, 2))).isFalse();
        assertThat(held.isAttempt(null)).isFalse();
        assertThat(held).hasToString("held at At[revision=5] by a term 17");
    }

    @Test
    void aForeignRecordHasNoFieldsOfOurs() {
        Observation.Held foreign = Observation.foreign(KEY, new At(5), new At(4), 17, "stranger", null);

        assertThat(foreign.isForeign()).isTrue();
        assertThat(foreign.term()).isEqualTo(17);
        assertThat(foreign.shown()).isEqualTo("stranger");
        assertThat(foreign.lease()).isEmpty();
        assertThat(foreign.isAttempt(new Id(3, 4))).isFalse();
        assertThatIllegalStateException().isThrownBy(foreign::record).withMessageContaining("stranger");
        assertThat(foreign).hasToString("held at At[revision=5] by stranger (foreign)");
        assertThat(Observation.foreign(KEY, new At(5), new At(4), 17, "stranger", Duration.ofSeconds(3))
                        .lease())
                .isEqualTo(Optional.of(Duration.ofSeconds(3)));
    }
}
