package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What stands in a blob, and whose it is. */
class RecordsTest {
    private static final RecordKey KEY = RecordKey.election("jobs");
    private static final LeaderRecord RECORD = LeaderRecord.proposal(
                    "c", new Id(1, 2), new Id(3, 4), "10.0.0.7:8080", Duration.ofSeconds(20), 0)
            .withTerm(7);
    private static final String TEXT = RecordJson.write(RECORD);
    private static final String LEASE = "00000000-0000-0003-0000-000000000004";

    private static Look look(Look.Lease lease, String record) {
        return new Look("e1", lease, record, 100_000);
    }

    private static Observation.Held held(Look look, boolean isStrangers) {
        Observation seen = Records.observe(KEY, look, isStrangers);
        assertThat(seen).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    /** The lease decides, not the record, which stays for its token. */
    @Test
    void withoutALeaseItIsVacantWhateverItSays() {
        for (boolean isStrangers : new boolean[] {false, true}) {
            assertThat(Records.observe(KEY, look(Look.Lease.NONE, TEXT), isStrangers)
                            .basis())
                    .isEqualTo(new FreeAt("e1", 7, 0));
            assertThat(Records.observe(KEY, look(Look.Lease.NONE, ""), isStrangers)
                            .basis())
                    .isEqualTo(new FreeAt("e1", 0, 100_000));
        }
        assertThat(Records.observe(KEY, look(Look.Lease.NONE, "{not json"), false)
                        .basis())
                .isEqualTo(new FreeAt("e1", 0, 100_000));
        assertThat(Records.observe(KEY, Look.NOTHING, false).basis()).isSameAs(FreeAt.NOWHERE);
        assertThat(FreeAt.NOWHERE.isNowhere()).isTrue();
        assertThat(new FreeAt("e1", 0, 0).isNowhere()).isFalse();
    }

    @Test
    void aRecordUnderItsLeaseIsItsLeaders() {
        Observation.Held held = held(look(Look.Lease.FOR_A_TIME, TEXT), false);

        assertThat(held.isForeign()).isFalse();
        assertThat(held.record()).isEqualTo(RECORD);
        assertThat(held.term()).isEqualTo(7);
        assertThat(held.basis()).isEqualTo(new LeasedAt("e1", false, 0));
        assertThat(held.liveness()).isEqualTo(new LeaseAlive(LEASE));
    }

    /** Nobody can renew it, so its leader has to stop before it is over. */
    @Test
    void aLeaseThatIsBreakingAsksItsLeaderToLeave() {
        Observation.Held held = held(look(Look.Lease.BREAKING, TEXT), false);

        assertThat(held.record()).isEqualTo(RECORD.askedToLeave());
        assertThat(held.basis()).isEqualTo(new LeasedAt("e1", true, 0));
        assertThat(held(look(Look.Lease.BREAKING, ""), false).basis()).isEqualTo(new LeasedAt("e1", true, 0));
    }

    /** The term of a record that is over is kept: the next one is larger. */
    @Test
    void aStrangersLeaseIsForeignWhateverStandsThere() {
        for (Observation.Held held : new Observation.Held[] {
            held(look(Look.Lease.FOR_A_TIME, TEXT), true), held(look(Look.Lease.FOR_EVER, TEXT), false)
        }) {
            assertThat(held.isForeign()).isTrue();
            assertThat(held.shown()).isEqualTo("(a lease without a record)");
            assertThat(held.basis()).isEqualTo(new LeasedAt("e1", false, 7));
            assertThat(held.liveness()).isEqualTo(new LeaseAlive("e1"));
        }
    }

    @Test
    void whatIsNoRecordIsShownAsItIs() {
        assertThat(held(look(Look.Lease.FOR_A_TIME, ""), false).shown()).isEqualTo("(a lease without a record)");
        assertThat(held(look(Look.Lease.FOR_A_TIME, "  "), false).shown()).isEqualTo("(a lease without a record)");
        assertThat(held(look(Look.Lease.FOR_A_TIME, "{not json"), false).shown())
                .isEqualTo("{not json");
        assertThat(held(look(Look.Lease.FOR_A_TIME, "{not json"), false).isForeign())
                .isTrue();
        assertThat(held(look(Look.Lease.FOR_EVER, "{not json"), false).shown()).isEqualTo("(a lease without a record)");
    }

    @Test
    void theTermOfALateRecordIsKnownByItsBasis() {
        assertThat(Records.term(new FreeAt("e1", 7, 0))).isEqualTo(7);
        assertThat(Records.term(new LeasedAt("e1", false, 8))).isEqualTo(8);
        assertThat(Records.term(new Basis() {})).isZero();
    }

    @Test
    void theLeaseOfARecordIsBounded() {
        assertThat(Records.leaseOfRecord(look(Look.Lease.NONE, TEXT))).isEqualTo(Duration.ofSeconds(20));
        LeaderRecord longest = LeaderRecord.proposal("c", new Id(1, 2), new Id(3, 4), "", Duration.ofSeconds(61), 0);
        assertThat(Records.leaseOfRecord(look(Look.Lease.NONE, RecordJson.write(longest))))
                .isEqualTo(Duration.ofSeconds(60));
        assertThat(Records.leaseOfRecord(look(Look.Lease.NONE, ""))).isZero();
    }

    /** A look under any other lease would say no more. */
    @ParameterizedTest
    @EnumSource(Look.Lease.class)
    void onlyALeaseThatEndsCanBeThatOfARecord(Look.Lease lease) {
        boolean isPossible = lease == Look.Lease.FOR_A_TIME || lease == Look.Lease.BREAKING;

        assertThat(Records.leaseToKeep(look(lease, TEXT)).isPresent()).isEqualTo(isPossible);
        assertThat(Records.leaseToKeep(look(lease, "{not json"))).isEmpty();
        assertThat(look(lease, TEXT).isLeased()).isEqualTo(lease != Look.Lease.NONE);
        assertThat(look(lease, TEXT).isForEver()).isEqualTo(lease == Look.Lease.FOR_EVER);
        assertThat(look(lease, TEXT).withoutLease()).isEqualTo(look(Look.Lease.NONE, TEXT));
    }

    /** Everybody who may read the record knows the lease, and no two attempts have the same. */
    @Test
    void theLeaseIsTheAttempt() {
        assertThat(Records.leaseToKeep(look(Look.Lease.FOR_A_TIME, TEXT))).contains(LEASE);
        assertThat(Records.lease(RECORD)).isEqualTo(LEASE);
    }

    @Test
    void whatWasWrittenIsWhatAReadShows() {
        assertThat(Records.metadata(RECORD)).isEqualTo(Map.of("mandate", TEXT));
        assertThat(Records.held(KEY, "e1", RECORD))
                .usingRecursiveComparison()
                .isEqualTo(held(look(Look.Lease.FOR_A_TIME, TEXT), false));
        assertThat(Records.held(KEY, "e1", RECORD.withTerm(0)).term()).isEqualTo(1);
        assertThat(Records.vacant(KEY, "e1", 7).basis()).isEqualTo(new FreeAt("e1", 7, 0));
    }

    /** Metadata is a header: visible ASCII, and blanks that nobody folds. */
    @Test
    void aRecordIsTheSameThroughAHeader() {
        for (String value : new String[] {
            "plain",
            "two  blanks and   three",
            "tab\t, line\n, nul\u0000",
            "\u00e4\u20ac\ud83d\ude00",
            "\"quoted\" \\ ~\u007f",
            "\\\"  x",
            "  "
        }) {
            LeaderRecord record = RECORD.withValue(value);

            String text = Records.metadata(record).get("mandate");

            assertThat(text).matches("[ -~]+").doesNotContain("  ");
            assertThat(RecordJson.read(text)).isEqualTo(record);
        }
        assertThat(HeaderText.of("{ \"a\" :\t\n 1,  \"b\": \"x  y\" }"))
                .isEqualTo("{ \"a\" : 1, \"b\": \"x \\u0020y\" }");
        assertThat(HeaderText.of("\"~ \u007f\u001f\"")).isEqualTo("\"~ \\u007f\\u001f\"");
        assertThat(HeaderText.of("\"\\\\\"  \"\\\"  \"")).isEqualTo("\"\\\\\" \"\\\" \\u0020\"");
    }

    @Test
    void theLargestTermThatWasSeenIsKept() {
        Terms terms = new Terms();
        assertThat(terms.last(KEY)).isZero();

        terms.saw(KEY, 0);
        assertThat(terms.last(KEY)).isZero();
        terms.saw(KEY, 7);
        terms.saw(KEY, 5);
        terms.saw(KEY, 0);

        assertThat(terms.last(KEY)).isEqualTo(7);
        assertThat(terms.last(RecordKey.election("other"))).isZero();
    }

    @Test
    void theTermsOfTenThousandElectionsAreKept() {
        Terms terms = new Terms();
        terms.saw(KEY, 7);
        for (int i = 1; i < 10_000; i++) {
            terms.saw(RecordKey.election("e" + i), 1);
        }
        assertThat(terms.last(KEY)).isEqualTo(7);

        terms.saw(RecordKey.election("one more"), 1);
        assertThat(terms.last(RecordKey.election("e1"))).as("the eldest").isZero();
        assertThat(terms.last(KEY)).as("asked for since").isEqualTo(7);
    }
}
