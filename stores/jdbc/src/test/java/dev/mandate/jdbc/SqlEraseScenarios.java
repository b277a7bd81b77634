package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an erase leaves in the tables, and what it excludes. */
abstract class SqlEraseScenarios extends SqlWatchScenarios {
    /** What the clock says is no help where it was ahead once: the mark is. */
    @Test
    void versionAndTokenRiseOverAnEraseWhateverTheClockSays() throws Exception {
        StoreClient client = client();
        RecordKey key = member(key("ahead").name());
        client.release(client.lead(key));
        long farAhead = 4_000_000_000_000_000L;
        run("UPDATE mandate_election SET version = " + farAhead + ", term = " + farAhead / 2 + " WHERE path = '"
                + key.path() + "'");

        assertThat(client.erase(key)).isInstanceOf(WriteOutcome.Written.class);
        Observation.Held next = client.lead(key);

        assertThat(((HeldAt) next.basis()).version()).isGreaterThan(farAhead);
        assertThat(next.term()).isGreaterThan(farAhead / 2);
    }

    /** Also on a basis that says that the key was never held. */
    @Test
    void aFirstWriteFromBeforeAnEraseIsRefused() throws Exception {
        StoreClient late = client();
        StoreClient other = client();
        RecordKey key = member(key("first").name());
        Observation never = late.read(key);
        other.release(other.lead(key));
        other.erase(key);

        assertThat(StoreClient.refused(late.acquire(key, never)).basis())
                .isEqualTo(other.read(key).basis())
                .isNotEqualTo(never.basis());
        late.lead(key);
    }

    @Test
    void anEraseConcernsNoOtherName() throws Exception {
        StoreClient client = client();
        RecordKey key = member(key("one").name());
        RecordKey elsewhere = member(key("other").name());
        Observation never = client.read(elsewhere);
        client.release(client.lead(key));
        client.erase(key);

        StoreClient.written(client.acquire(elsewhere, never));
    }

    /** As in tables that an older version filled, or that somebody emptied. */
    @Test
    void aMarkThatIsMissingIsMade() throws Exception {
        StoreClient client = client();
        RecordKey key = member(key("unmarked").name());
        client.release(client.lead(key));
        run("DELETE FROM mandate_election WHERE path = '" + Mark.path(key) + "'");
        VacantAt left = at(client.read(key));

        assertThat(client.erase(key)).isInstanceOf(WriteOutcome.Written.class);
        VacantAt erased = at(client.read(key));
        assertThat(erased.hasRow()).isFalse();
        assertThat(erased.version()).isGreaterThanOrEqualTo(left.version());

        run("DELETE FROM mandate_election WHERE path = '" + Mark.path(key) + "'");
        assertThat(at(client.read(key))).isEqualTo(new VacantAt(0, false));
        client.lead(key);
    }

    /** What an ended session kept is vacant, and may go. */
    @Test
    void whatAnEndedSessionKeptIsErased() throws Exception {
        StoreClient holder = client();
        StoreClient other = client();
        RecordKey key = member(key("ended").name());
        holder.lead(key);
        holder.end();

        assertThat(other.erase(key)).isInstanceOf(WriteOutcome.Written.class);

        assertThat(number("SELECT count(*) FROM mandate_election WHERE path = '" + key.path() + "'"))
                .isZero();
    }

    /** No listing and no reader sees it. */
    @Test
    void aMarkIsNobodysRecord() throws Exception {
        StoreClient client = client();
        RecordKey key = member(key("marked").name());
        client.lead(key);
        RecordKey all =
                new RecordKey(RecordKey.REGISTRATIONS, List.of(key.segments().get(0)));

        Page<Observation> page = StoreClient.answer(client.store().list(all, Cursor.START, StoreClient.call()));

        assertThat(page.items()).extracting(Observation::key).containsExactly(key);
        assertThat(number("SELECT count(*) FROM mandate_election WHERE path = '" + Mark.path(key) + "'"))
                .isEqualTo(1);
    }

    private static RecordKey member(String service) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(service, "member"));
    }

    private static VacantAt at(Observation vacant) {
        return (VacantAt) vacant.basis();
    }
}
