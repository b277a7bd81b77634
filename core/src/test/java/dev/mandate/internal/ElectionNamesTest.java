package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One object for each name; a client goes through those that it takes part in, however many others somebody holds. */
class ElectionNamesTest {
    private final Client client = World.withSessions().client("a");
    private final ElectionNames<ClientElection> names = new ElectionNames<>(this::election);

    private ClientElection election(RecordKey key) {
        return new ClientElection(client.electionContext(), names, key);
    }

    private ClientElection name(int number) {
        return names.get(RecordKey.election("e" + number));
    }

    @Test
    void onlyThoseThatAreUsedAreGoneThrough() {
        List<ClientElection> held = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            held.add(name(i));
        }
        assertThat(names.used()).isEmpty();

        names.use(held.get(7));
        names.use(held.get(9));
        names.release(held.get(9));
        names.release(held.get(8));

        assertThat(names.used()).containsExactly(held.get(7));
        assertThat(names.used(held.get(7).key())).isSameAs(held.get(7));
        assertThat(names.used(held.get(9).key())).isNull();
        assertThat(name(9)).isSameAs(held.get(9));
    }

    /** Whoever released an older object of the same name released nothing of the newer one. */
    @Test
    void aNameIsReleasedByTheObjectThatUsesIt() {
        ClientElection older = election(RecordKey.election("e1"));
        ClientElection newer = name(1);
        names.use(newer);

        names.release(older);

        assertThat(names.used(newer.key())).isSameAs(newer);
    }

    @Test
    void whenTablesThatWereLargeAreGivenBackNothingIsLost() {
        List<ClientElection> held = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            held.add(name(i));
            names.use(held.get(i));
        }
        for (int i = 1; i < 10_000; i++) {
            names.release(held.get(i));
        }

        assertThat(name(0)).isSameAs(held.get(0));
        assertThat(names.used()).containsExactly(held.get(0));
        assertThat(names.used(held.get(0).key())).isSameAs(held.get(0));
        for (int i = 1; i < 10_000; i++) {
            assertThat(name(i)).isSameAs(held.get(i));
        }
    }

    @Test
    void aNewerObjectTakesTheNameOver() {
        ClientElection older = name(1);
        ClientElection newer = election(older.key());
        names.use(older);

        names.use(newer);

        assertThat(name(1)).isSameAs(newer);
        names.release(newer);
        assertThat(name(1)).isSameAs(newer);
        assertThat(names.used()).isEmpty();
    }
}
