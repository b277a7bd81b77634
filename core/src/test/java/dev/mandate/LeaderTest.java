package dev.mandate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.internal.SeenLeader;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Values of the public API that tell who leads. */
class LeaderTest {

    /** What a terminal might obey is shown, not obeyed; everything else stays. */
    @Test
    void printableTextCommandsNoTerminal() {
        assertThat(Leader.printable("10.0.0.7:8080 ü 日本 😀 \\ \"")).isEqualTo("10.0.0.7:8080 ü 日本 😀 \\ \"");
        assertThat(Leader.printable("\u001B[2J\u0007")).isEqualTo("\\u001b[2J\\u0007");
        assertThat(Leader.printable("a\r\n\tb\u0000\u007F\u009B"))
                .isEqualTo("a\\u000d\\u000a\\u0009b\\u0000\\u007f\\u009b");
        assertThat(Leader.printable("\u202Eabc\u200B\u2066\uFEFF")).isEqualTo("\\u202eabc\\u200b\\u2066\\ufeff");
        assertThat(Leader.printable("\u2028\u2029")).isEqualTo("\\u2028\\u2029");
        assertThat(Leader.printable("\uD83D half \uDE00")).isEqualTo("\\ud83d half \\ude00");
        // Invisible tags beyond the basic plane.
        assertThat(Leader.printable("a\uDB40\uDC41b")).isEqualTo("a\\U000e0041b");
        assertThat(Leader.printable("")).isEmpty();
    }

    @Test
    void nothingPrintableIsAControlOrFormatCharacter() {
        StringBuilder all = new StringBuilder();
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            all.appendCodePoint(c);
        }

        String shown = Leader.printable(all.toString());

        assertThat(shown.codePoints()
                        .map(Character::getType)
                        .anyMatch(t -> t == Character.CONTROL
                                || t == Character.FORMAT
                                || t == Character.SURROGATE
                                || t == Character.LINE_SEPARATOR
                                || t == Character.PARAGRAPH_SEPARATOR))
                .isFalse();
    }

    @Test
    void aViewKnowsALeaderOnlyIfSomebodyLeads() {
        Leader leader = new SeenLeader(
                "e",
                "a",
                "v",
                new FencingToken("e", 7),
                Instant.EPOCH,
                Duration.ofSeconds(10),
                false,
                false,
                Order.RACE,
                true);

        assertThat(new LeaderView.Led(leader, Duration.ZERO).leader()).contains(leader);
        assertThat(new LeaderView.Vacant(Duration.ZERO).leader()).isEmpty();
        assertThat(new LeaderView.Unknown(Duration.ofSeconds(3)).leader()).isEmpty();
        assertThat(leader.token()).hasToString("7");
    }

    @Test
    void onlyALeadingCandidacyIsTheLeaders() {
        FencingToken token = new FencingToken("e", 7);
        for (CandidacyStatus.State state : CandidacyStatus.State.values()) {
            boolean leads = state == CandidacyStatus.State.LEADING;
            CandidacyStatus status =
                    new CandidacyStatus(state, "reason", leads ? Optional.of(token) : Optional.empty());

            assertThat(status.isLeader()).isEqualTo(leads);
            assertThat(status.fencingToken().isPresent()).isEqualTo(leads);
        }
    }

    @Test
    void aGuaranteeCoversWhatIsLess() {
        assertThat(Guarantee.FENCED.covers(Guarantee.ADVISORY)).isTrue();
        assertThat(Guarantee.FENCED.covers(Guarantee.FENCED)).isTrue();
        assertThat(Guarantee.LEASED.covers(Guarantee.FENCED)).isFalse();
        assertThat(Guarantee.ADVISORY.covers(Guarantee.LEASED)).isFalse();
        assertThat(Guarantee.ADVISORY.covers(Guarantee.ADVISORY)).isTrue();
    }

    /** Every reason has words of its own, and is of one kind at most. */
    @Test
    void everyReasonHasItsWordsAndOneKind() {
        assertThat(EndReason.values())
                .extracting(EndReason::toString)
                .doesNotHaveDuplicates()
                .allMatch(w -> w.length() > 5);
        assertThat(EndReason.values()).noneMatch(r -> r.isStoreTrouble() && r.isWorkTrouble());
        assertThat(EndReason.values())
                .filteredOn(EndReason::isStoreTrouble)
                .containsExactly(
                        EndReason.LEASE_RAN_OUT,
                        EndReason.DISPLACED,
                        EndReason.VANISHED,
                        EndReason.SESSION_ENDED,
                        EndReason.UNSEEN);
        assertThat(EndReason.values())
                .filteredOn(EndReason::isWorkTrouble)
                .containsExactly(EndReason.FAILED, EndReason.STALLED, EndReason.UNHEALTHY);
    }

    @Test
    void anEvictionConcernsSomebodyOrNobody() {
        assertThat(new Eviction(Eviction.Outcome.VACANT, null, Duration.ZERO).leader())
                .isEmpty();
    }
}
