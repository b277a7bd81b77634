package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import org.junit.jupiter.api.Test;

class VacanciesTest {
    private static final RecordKey KEY = RecordKey.election("job");

    private long nanos;
    private final Vacancies vacancies = new Vacancies(() -> nanos);

    private static Look leased(String etag, String record) {
        return new Look(etag, Look.Lease.FOR_A_TIME, record, 0);
    }

    @Test
    void aLeaseAtTheVersionSeenFreeIsOneWhoseRecordIsOnItsWay() {
        vacancies.saw(KEY, Look.free("1"));

        assertThat(vacancies.isTaken(KEY, leased("1", "of the term before"))).isTrue();
        assertThat(vacancies.isTaken(KEY, leased("2", "of the next term"))).isFalse();
    }

    /**
     * Whoever looks for the first time while candidates make a blob must not take them for strangers, and wait for a
     * lease.
     */
    @Test
    void soIsTheLeaseOfABlobWithoutARecord() {
        assertThat(vacancies.isTaken(KEY, leased("1", ""))).isTrue();
        assertThat(vacancies.isTaken(KEY, new Look("1", Look.Lease.FOR_EVER, "", 0)))
                .as("a lease for ever")
                .isFalse();
    }

    /** Nobody had it for a moment, though that was not seen. */
    @Test
    void soIsTheLeaseAfterThatOfTheRecord() {
        vacancies.isLed(KEY, leased("1", "of a term"), "lease 1");
        assertThat(vacancies.wasFree(KEY, leased("1", "of a term"))).isFalse();

        vacancies.isOver(KEY, "lease 0");
        assertThat(vacancies.ledBy(KEY)).isEqualTo("lease 1");
        vacancies.isOver(KEY, "lease 1");

        assertThat(vacancies.ledBy(KEY)).isEmpty();
        assertThat(vacancies.wasFree(KEY, leased("1", "of a term"))).isTrue();
        assertThat(vacancies.wasFree(KEY, leased("2", "of the next"))).isFalse();
    }

    @Test
    void whoKnowsNothingElseLooksForTheFirstTime() {
        vacancies.takenNanos(KEY, leased("1", "of the term before"));
        assertThat(vacancies.isFirst(KEY, leased("1", "of the term before"))).isTrue();

        vacancies.takenNanos(KEY, leased("2", "of the next"));
        assertThat(vacancies.isFirst(KEY, leased("2", "of the next"))).isFalse();
    }

    @Test
    void itIsCountedFromTheFirstLookAtThatVersion() {
        nanos = 7;
        assertThat(vacancies.takenNanos(KEY, leased("1", ""))).isZero();
        nanos = 10;
        vacancies.believes(KEY, "1");
        assertThat(vacancies.takenNanos(KEY, leased("1", ""))).isEqualTo(3);
        assertThat(vacancies.takenNanos(KEY, leased("2", ""))).isZero();

        nanos = 20;
        vacancies.saw(KEY, Look.free("2"));
        assertThat(vacancies.takenNanos(KEY, leased("2", "")))
                .as("a later lease")
                .isZero();
    }

    @Test
    void whoKeepsItLongerIsAStranger() {
        vacancies.saw(KEY, Look.free("1"));
        vacancies.keeps(KEY, leased("1", "of the term before"));
        assertThat(vacancies.isTaken(KEY, leased("1", "of the term before"))).isFalse();

        vacancies.keeps(KEY, leased("2", ""));
        assertThat(vacancies.isTaken(KEY, leased("2", ""))).isFalse();
        assertThat(vacancies.isTaken(KEY, leased("3", ""))).isTrue();

        vacancies.saw(KEY, Look.free("2"));
        assertThat(vacancies.isTaken(KEY, leased("2", ""))).as("a later lease").isTrue();
    }

    /** A record under another version stands there: what was free is over. */
    @Test
    void whatWasSeenLedIsFreeNoMore() {
        vacancies.saw(KEY, Look.free("1"));
        vacancies.saw(KEY, leased("1", "of the term before"));
        assertThat(vacancies.wasFree(KEY, leased("1", "")))
                .as("its record is on its way")
                .isTrue();

        vacancies.saw(KEY, leased("2", "of a term"));

        assertThat(vacancies.wasFree(KEY, leased("1", ""))).isFalse();
        assertThat(vacancies.wasFree(KEY, leased("2", ""))).isFalse();
    }
}
