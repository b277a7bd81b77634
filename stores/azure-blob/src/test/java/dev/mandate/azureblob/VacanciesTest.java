package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import org.junit.jupiter.api.Test;

class VacanciesTest {
    private static final RecordKey KEY = RecordKey.election("job");

    private final Vacancies vacancies = new Vacancies();

    private static Look leased(String etag, String record) {
        return new Look(etag, Look.Lease.FOR_A_TIME, record, 0);
    }

    @Test
    void aLeaseAtTheVersionSeenFreeIsOneWhoseRecordIsOnItsWay() {
        vacancies.saw(KEY, Look.free("1"));

        assertThat(vacancies.isTaken(KEY, leased("1", "of the term before"))).isTrue();
        assertThat(vacancies.isTaken(KEY, leased("2", "of the next term"))).isFalse();
    }

    /** Whoever looks for the first time while candidates make a blob must not take them for strangers, and wait for a lease. */
    @Test
    void soIsTheLeaseOfABlobWithoutARecord() {
        assertThat(vacancies.isTaken(KEY, leased("1", ""))).isTrue();
        assertThat(vacancies.isTaken(KEY, new Look("1", Look.Lease.FOR_EVER, "", 0)))
                .as("a lease for ever")
                .isFalse();
    }

    @Test
    void whoKeepsItLongerIsAStranger() {
        vacancies.saw(KEY, Look.free("1"));
        vacancies.isKept(KEY, leased("1", "of the term before"));
        assertThat(vacancies.isTaken(KEY, leased("1", "of the term before"))).isFalse();

        vacancies.isKept(KEY, leased("2", ""));
        assertThat(vacancies.isTaken(KEY, leased("2", ""))).isFalse();
        assertThat(vacancies.isTaken(KEY, leased("3", ""))).isTrue();

        vacancies.saw(KEY, Look.free("2"));
        assertThat(vacancies.isTaken(KEY, leased("2", ""))).as("a later lease").isTrue();
    }
}
