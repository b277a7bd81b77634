package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The interleavings in the comment of {@link JdbcElectionStore}, one by one, and what stands in the tables. Run for
 * every dialect.
 */
abstract class SqlScenarios extends SqlEraseScenarios {
    @Test
    void aRenewalBeforeTheDeposingKeepsTheHolder() throws Exception {
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("renewed");
        holder.lead(key);
        Observation.Held seen = challenger.readHeld(key);

        holder.renew();
        Observation now = StoreClient.refused(challenger.acquire(key, seen));

        assertThat(StoreClient.held(now).liveness()).isNotEqualTo(seen.liveness());
        assertThat(StoreClient.held(now).basis()).isEqualTo(seen.basis());
        assertThat(holder.renew()).isInstanceOf(SessionRenewal.Renewed.class);
    }

    @Test
    void aDeposedHolderLearnsItAtItsRenewalAndWritesNothing() throws Exception {
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("deposed");
        RecordKey other = key("deposed-too");
        Observation.Held led = holder.lead(key);
        holder.lead(other);

        Observation.Held taken = StoreClient.written(challenger.acquire(key, challenger.readHeld(key)));

        assertThat(taken.term()).isGreaterThan(led.term());
        assertThat(holder.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(holder.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(StoreClient.held(StoreClient.refused(holder.update(led, Intent.PROCLAIM)))
                        .term())
                .isEqualTo(taken.term());
        assertThat(StoreClient.refused(holder.release(led))).isInstanceOf(Observation.Held.class);
        assertThat(StoreClient.refused(holder.acquire(other, holder.read(other))))
                .isInstanceOf(Observation.Vacant.class);
    }

    @Test
    void aChallengerThatDiedAfterDeposingLeavesAVacantRow() throws Exception {
        StoreClient holder = client();
        StoreClient heir = client();
        RecordKey key = key("half-taken");
        Observation.Held led = holder.lead(key);

        run("UPDATE mandate_session SET ended = 1, version = version + 1 WHERE id = '"
                + holder.session().id() + "'");
        Observation vacant = heir.read(key);
        Observation.Held taken = StoreClient.written(heir.acquire(key, vacant));

        assertThat(vacant).isInstanceOf(Observation.Vacant.class);
        assertThat(vacant.basis()).isNotEqualTo(led.basis());
        assertThat(taken.term()).isGreaterThan(led.term());
    }

    @Test
    void aChallengerWhoseBasisIsVacatedByAnotherOnesDeposingStillTakesIt() throws Exception {
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("raced");
        holder.lead(key);
        Observation.Held seen = challenger.readHeld(key);

        holder.renew();
        holder.end();

        StoreClient.written(challenger.acquire(key, seen));
    }

    @Test
    void aHolderThatWritesWhileItIsDeposedMovesTheBasis() throws Exception {
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("proclaimed");
        Observation.Held led = holder.lead(key);
        Observation.Held seen = challenger.readHeld(key);

        StoreClient.written(holder.update(led, Intent.PROCLAIM));
        Observation now = StoreClient.refused(challenger.acquire(key, seen));

        assertThat(now).isInstanceOf(Observation.Vacant.class);
        assertThat(holder.renew()).isEqualTo(SessionRenewal.gone());
        StoreClient.written(challenger.acquire(key, now));
    }

    @Test
    void neitherAProclaimNorTheLeaveFlagIsASignOfLife() throws Exception {
        StoreClient holder = client();
        StoreClient challenger = client();
        RecordKey key = key("not-renewed");
        Observation.Held led = holder.lead(key);

        Observation.Held proclaimed = StoreClient.written(holder.update(led, Intent.PROCLAIM));
        Observation.Held flagged =
                StoreClient.written(challenger.update(challenger.readHeld(key), Intent.ASK_TO_LEAVE));

        assertThat(flagged.liveness()).isEqualTo(led.liveness()).isEqualTo(proclaimed.liveness());
        assertThat(flagged.basis()).isNotEqualTo(proclaimed.basis());
        assertThat(flagged.record().leave()).isTrue();
        assertThat(flagged.term()).isEqualTo(led.term());
        assertThat(StoreClient.written(holder.update(flagged, Intent.PROCLAIM))
                        .record()
                        .leave())
                .isTrue();
    }

    @Test
    void renewingKeepsTheHoldersBasis() throws Exception {
        StoreClient holder = client();
        RecordKey key = key("basis");
        Observation.Held led = holder.lead(key);

        holder.renew();

        StoreClient.written(holder.update(led, Intent.PROCLAIM));
    }

    @Test
    void aLateWriteChangesNothingOnceALaterTermStands() throws Exception {
        StoreClient first = client();
        StoreClient second = client();
        RecordKey key = key("late");
        Observation vacant = first.read(key);
        Observation.Held led = StoreClient.written(first.acquire(key, vacant));
        first.release(led);
        Observation free = second.read(key);
        Observation.Held later = second.lead(key);

        assertThat(StoreClient.held(StoreClient.refused(first.acquire(key, vacant)))
                        .term())
                .isEqualTo(later.term());
        assertThat(StoreClient.held(StoreClient.refused(first.acquire(key, free)))
                        .term())
                .isEqualTo(later.term());
        assertThat(StoreClient.held(StoreClient.refused(first.acquire(key, led)))
                        .term())
                .isEqualTo(later.term());
        assertThat(StoreClient.held(StoreClient.refused(first.release(led))).term())
                .isEqualTo(later.term());
        assertThat(StoreClient.held(StoreClient.refused(first.update(led, Intent.ASK_TO_LEAVE)))
                        .term())
                .isEqualTo(later.term());
        assertThat(second.renew()).isInstanceOf(SessionRenewal.Renewed.class);
        assertThat(second.readHeld(key).basis()).isEqualTo(later.basis());
    }

    /** Random operations on old and new bases, with the model beside it that the engine is proven with. */
    @Test
    void theStoreDoesWhatItsModelDoes() throws Exception {
        long seed = Long.getLong("mandate.seed", System.nanoTime());
        System.out.println(getClass().getSimpleName() + ": replay with -Dmandate.seed=" + seed);

        int[] counts = new ModelTwin(client().store(), seed).run(1_500);

        assertThat(counts[0]).as("written").isGreaterThan(50);
        assertThat(counts[1]).as("refused").isGreaterThan(50);
    }

    @Test
    void vacancyNeverLooksTheSameTwice() throws Exception {
        StoreClient client = client();
        RecordKey key = key("vacancy");
        List<Object> bases = new ArrayList<>();
        List<Long> terms = new ArrayList<>();

        for (int i = 0; i < 20; i++) {
            Observation vacant = client.read(key);
            bases.add(vacant.basis());
            Observation.Held led = StoreClient.written(client.acquire(key, vacant));
            terms.add(led.term());
            client.release(led);
        }

        assertThat(bases).doesNotHaveDuplicates();
        assertThat(terms).isSorted().doesNotHaveDuplicates();
    }

    /** A renewal that landed though its answer was lost: the next one finds another version than it knows. */
    @Test
    void aRenewalRefusedByAnEarlierOneThatLandedIsSentAnew() throws Exception {
        StoreClient holder = client();
        run("UPDATE mandate_session SET version = version + 1 WHERE id = '"
                + holder.session().id() + "'");

        assertThat(holder.renew()).isInstanceOf(SessionRenewal.Renewed.class);

        assertThat(number("SELECT version FROM mandate_session WHERE id = '"
                        + holder.session().id() + "'"))
                .isEqualTo(3);
    }

    @Test
    void aSessionWhoseRowIsGoneIsOverAndStaysOver() throws Exception {
        StoreClient holder = client();
        RecordKey key = key("row-gone");
        holder.lead(key);

        run("DELETE FROM mandate_session WHERE id = '" + holder.session().id() + "'");

        assertThat(holder.read(key)).isInstanceOf(Observation.Vacant.class);
        assertThat(holder.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(StoreClient.refused(holder.acquire(key, holder.read(key)))).isInstanceOf(Observation.Vacant.class);
        holder.end();
        assertThat(number("SELECT count(*) FROM mandate_session WHERE id = '"
                        + holder.session().id() + "'"))
                .isZero();
    }

    @Test
    void evenIfARowWasDeletedNoVersionComesAgain() throws Exception {
        StoreClient client = client();
        RecordKey key = key("row-deleted");
        Observation.Held led = client.lead(key);

        run("DELETE FROM mandate_election");
        long deleted = System.currentTimeMillis();
        while (System.currentTimeMillis() == deleted) {
            Thread.onSpinWait();
        }
        Observation.Held again = client.lead(key);

        assertThat(((HeldAt) again.basis()).version()).isGreaterThan(((HeldAt) led.basis()).version());
        assertThat(StoreClient.refused(client.release(led))).isInstanceOf(Observation.Held.class);
    }

    @Test
    void theTokenIsTheClockUnlessTheLastOneIsAheadOfIt() throws Exception {
        StoreClient client = client();
        RecordKey key = key("token");

        Observation.Held first = client.lead(key);
        client.release(first);
        long ahead = first.term() + 1_000_000_000;
        run("UPDATE mandate_election SET term = " + ahead + " WHERE path = '" + key.path() + "'");
        Observation.Held second = client.lead(key);

        assertThat(Math.abs(first.term() - System.currentTimeMillis())).isLessThan(60_000);
        assertThat(second.term()).isEqualTo(ahead + 1);
    }

    @Test
    void ofManyWhoTakeTheSameDeadHoldersKeyOneWins() throws Exception {
        List<StoreClient> challengers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            challengers.add(client());
        }
        StoreClient holder = client();
        for (int round = 0; round < 40; round++) {
            RecordKey key = key("dead");
            StoreClient victim = round == 0 ? holder : new StoreClient(holder.store());
            victim.lead(key);
            Observation.Held seen = holder.readHeld(key);

            var sent = challengers.stream()
                    .map(c -> c.store().acquire(key, seen, c.proposal("v"), c.session(), StoreClient.call()))
                    .toList();
            long winners = sent.stream()
                    .map(StoreClient::answer)
                    .filter(WriteOutcome.Written.class::isInstance)
                    .count();

            assertThat(winners).isEqualTo(1);
            assertThat(victim.renew()).isEqualTo(SessionRenewal.gone());
        }
    }

    /**
     * The holder renews as fast as it can while a challenger tries to depose it: never do both succeed on one version.
     */
    @Test
    void deposingAndRenewingExcludeEachOther() throws Exception {
        StoreClient challenger = client();
        StoreClient connection = client();
        int deposed = 0;
        for (int round = 0; round < 60; round++) {
            RecordKey key = key("contest");
            StoreClient holder = new StoreClient(connection.store());
            holder.lead(key);
            Observation.Held seen = challenger.readHeld(key);

            var renewal = holder.session().renew(StoreClient.call());
            var taking = challenger
                    .store()
                    .acquire(key, seen, challenger.proposal("v"), challenger.session(), StoreClient.call());
            boolean isRenewed = StoreClient.answer(renewal) instanceof SessionRenewal.Renewed;
            boolean isTaken = StoreClient.answer(taking) instanceof WriteOutcome.Written;

            assertThat(isRenewed).as("round %d", round).isNotEqualTo(isTaken);
            deposed += isTaken ? 1 : 0;
        }
        System.out.println(getClass().getSimpleName() + ": deposed in " + deposed + " of 60 contests");
    }

    @Test
    void listingPagesThroughEveryKeyBelowAPrefixAndNoOther() throws Exception {
        StoreClient client = client();
        String service = "s" + System.nanoTime();
        List<RecordKey> below = new ArrayList<>();
        below.add(new RecordKey("registration", List.of(service)));
        for (int i = 0; i < 450; i++) {
            below.add(new RecordKey("registration", List.of(service, "instance " + i)));
        }
        below.forEach(client::lead);
        client.lead(new RecordKey("registration", List.of(service + "-other", "a")));
        client.lead(new RecordKey("registration", List.of(service + "0", "a")));
        client.release(client.readHeld(below.get(7)));

        List<RecordKey> listed = new ArrayList<>();
        int pages = 0;
        Cursor cursor = Cursor.START;
        while (cursor != null) {
            Page<Observation> page = StoreClient.answer(client.store().list(below.get(0), cursor, StoreClient.call()));
            page.items().forEach(item -> listed.add(item.key()));
            cursor = page.next().orElse(null);
            pages++;
        }

        assertThat(listed).containsExactlyInAnyOrderElementsOf(below);
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void whatIsNoRecordReadsAsForeignAndCanBeTakenAndReleased() throws Exception {
        StoreClient client = client();
        StoreClient holder = client();
        RecordKey key = key("foreign");
        holder.lead(key);
        run("UPDATE mandate_election SET record = 'somebody else' WHERE path = '" + key.path() + "'");

        Observation.Held foreign = client.readHeld(key);
        Observation.Held taken = StoreClient.written(client.acquire(key, foreign));
        run("UPDATE mandate_election SET record = NULL WHERE path = '" + key.path() + "'");
        Observation.Held empty = client.readHeld(key);

        assertThat(foreign.isForeign()).isTrue();
        assertThat(foreign.shown()).isEqualTo("somebody else");
        assertThat(foreign.lease()).contains(holder.session().granted());
        assertThat(taken.term()).isGreaterThan(foreign.term());
        assertThat(empty.isForeign()).isTrue();
        assertThat(client.release(empty)).isInstanceOf(WriteOutcome.Written.class);
    }

    @Test
    void keysThatDifferInCaseOrBlanksAreDifferent() throws Exception {
        StoreClient client = client();
        String name = "Straße-" + System.nanoTime();

        client.lead(RecordKey.election(name));

        assertThat(client.read(RecordKey.election(name.toUpperCase(java.util.Locale.ROOT))))
                .isInstanceOf(Observation.Vacant.class);
        assertThat(client.read(RecordKey.election(name + " "))).isInstanceOf(Observation.Vacant.class);
        assertThat(client.read(RecordKey.election(name))).isInstanceOf(Observation.Held.class);
    }

    @Test
    void sessionsThatEndedOrDiedUnnamedAreSweptAndOthersStay() throws Exception {
        StoreClient named = client();
        named.lead(key("named"));
        StoreClient dead = new StoreClient(named.store(), Duration.ofSeconds(1));
        StoreClient ended = new StoreClient(named.store());
        ended.end();
        StoreClient living = new StoreClient(named.store(), Duration.ofSeconds(1));
        Sweep sweep = new Sweep(((JdbcElectionStore) named.store()).sql());
        JdbcElectionStore store = (JdbcElectionStore) named.store();

        sweepOnce(store, sweep, named);
        // Asked again at once, it must not judge yet: tasks may queue up.
        sweepOnce(store, sweep, named);
        assertThat(endedSessions()).isZero();
        assertThat(sessions())
                .contains(dead.session().id(), living.session().id())
                .doesNotContain(ended.session().id());
        long looked = System.nanoTime();
        while (!sweep.isDue()) {
            living.renew();
            Thread.onSpinWait();
        }
        assertThat(System.nanoTime() - looked).isGreaterThan(TimeUnit.SECONDS.toNanos(2));
        while (sessions().contains(dead.session().id())) {
            sweepOnce(store, sweep, named);
        }

        assertThat(sessions()).contains(named.session().id(), living.session().id());
        assertThat(dead.renew()).isEqualTo(SessionRenewal.gone());
        assertThat(living.renew()).isInstanceOf(SessionRenewal.Renewed.class);
    }

    /** More living sessions that hold nothing than are looked at in one go, and a dead one behind them. */
    @Test
    void theLivingDoNotHideTheDeadFromTheSweep() throws Exception {
        StoreClient own = client();
        JdbcElectionStore store = (JdbcElectionStore) own.store();
        Sweep sweep = new Sweep(store.sql());
        String living = "id LIKE '!living%'";
        int many = 2 * Sweep.ROWS_MAX - 1;
        try (Connection operator = operator()) {
            // One look's worth of them before it, and as many behind as fill the second look.
            String dead = "!living-" + (1_000 + Sweep.ROWS_MAX) + "-dead";
            Jdbc.update(operator, "INSERT INTO mandate_session VALUES (?, 1, 1, 0)", dead);
            for (int i = 1; i <= many; i++) {
                Jdbc.update(operator, "INSERT INTO mandate_session VALUES (?, 1, 1, 0)", "!living-" + (1_000 + i));
            }
            living += " AND id <> '" + dead + "'";
            long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);

            while (sessions().contains(dead)) {
                assertThat(System.nanoTime()).as("swept within a minute").isLessThan(giveUp);
                sweepOnce(store, sweep, own);
                Jdbc.run(operator, "UPDATE mandate_session SET version = version + 1 WHERE " + living);
            }

            assertThat(number("SELECT count(*) FROM mandate_session WHERE ended = 0 AND " + living))
                    .isEqualTo(many);
            Jdbc.run(operator, "DELETE FROM mandate_session WHERE " + living);
        }
    }

    private long endedSessions() throws SQLException {
        return number("SELECT count(*) FROM mandate_session WHERE ended <> 0");
    }

    private static void sweepOnce(JdbcElectionStore store, Sweep sweep, StoreClient own) {
        StoreClient.answer(store.worker().submit(Worker.Lane.ORDINARY, "sweeping", StoreClient.call(), turn -> {
            sweep.step(turn, own.session().id());
            return true;
        }));
    }
}
