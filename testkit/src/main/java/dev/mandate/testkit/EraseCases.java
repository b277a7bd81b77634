package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A vacant key is removed for good, and nothing seen of it returns. */
abstract class EraseCases extends TermCases {
    /** Where each term needs a new key, a term takes seconds. */
    private static final int TERMS = 5;

    private static final int ROUNDS_MAX = 20;

    /** A key below a name, as registrations are below a service. */
    final RecordKey member(String hint) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(unique(hint), "member"));
    }

    /** What a term leaves behind at the key. */
    final Observation.Vacant left(Contender by, RecordKey key) {
        by.release(by.acquire(key));
        return vacant(by.read(key));
    }

    private static Observation.Vacant vacant(Observation seen) {
        assertThat(seen).isInstanceOf(Observation.Vacant.class);
        return (Observation.Vacant) seen;
    }

    private static Observation.Vacant erased(WriteOutcome outcome) {
        assertThat(outcome).as("erase").isInstanceOf(WriteOutcome.Written.class);
        return vacant(((WriteOutcome.Written) outcome).now());
    }

    private static void assertRefused(WriteOutcome outcome, Observation stands) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
        Optional<Observation> now = ((WriteOutcome.Refused) outcome).now();
        assertThat(now.map(Observation::basis)).isIn(Optional.empty(), Optional.of(stands.basis()));
    }

    private static boolean areSame(Observation one, Observation other) {
        return one.basis().equals(other.basis());
    }

    /** Nothing is left of it, not even in a listing, and the next write is conditional on the answer. */
    @Test
    protected void anErasedKeyReadsAsNeverHeld() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("erased");
        RecordKey beside = new RecordKey(key.space(), List.of(key.segments().get(0), "beside"));
        a.acquire(beside);
        Observation never = a.read(key);
        Observation.Vacant left = left(a, key);

        Observation.Vacant now = erased(a.erase(left));

        assertThat(now.key()).isEqualTo(key);
        assertThat(areSame(now, left)).as("nothing was removed").isEqualTo(areSame(never, left));
        assertThat(b.read(key).basis()).isEqualTo(now.basis());
        RecordKey prefix = new RecordKey(key.space(), key.segments().subList(0, 1));
        assertThat(b.list(prefix).stream().map(Observation::key)).containsExactly(beside);
        Contender.written(b.acquire(key, now, b.proposal("next")), "acquire on what the erase left");
    }

    /** The key was held since it was seen. */
    @Test
    protected void anEraseOnAnOldBasisIsRefused() {
        Contender a = contender();
        RecordKey key = member("old");
        Observation.Vacant never = vacant(a.read(key));
        Observation.Vacant old = left(a, key);
        Observation.Vacant stands = left(a, key);
        onlyIf(!areSame(old, stands), "nothing is left of a vacant key");

        assertRefused(a.erase(old), stands);
        assertRefused(a.erase(never), stands);

        assertThat(a.read(key).basis()).isEqualTo(stands.basis());
        Contender.written(a.acquire(key, stands, a.proposal("next")), "acquire on what stands");
    }

    /** Unknown fields make a registration neither vacant nor foreign. */
    @Test
    protected void aRegistrationOfALaterVersionIsListedWhole() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("later");
        Observation.Vacant never = vacant(a.read(key));
        LeaderRecord plain = a.proposal("value");
        LeaderRecord later = new LeaderRecord(
                plain.candidate(),
                plain.incarnation(),
                plain.attempt(),
                "{\"v\":2,\"status\":\"DRAINING\",\"zones\":[1,{\"x\":null}]}",
                plain.lease(),
                plain.term(),
                plain.leave(),
                plain.sinceMillis(),
                Map.of("v", "2", "shard", "{\"of\":[1,2.5,\"x\",null,true]}"));
        Observation.Held held = Contender.written(a.acquire(key, never, later), "acquire");

        RecordKey prefix = new RecordKey(key.space(), key.segments().subList(0, 1));
        assertThat(b.list(prefix)).singleElement().isInstanceOfSatisfying(Observation.Held.class, seen -> {
            assertThat(seen.isForeign()).as("taken for another program's").isFalse();
            assertThat(withoutTerm(seen.record())).isEqualTo(later);
            assertThat(seen.basis()).isEqualTo(held.basis());
        });
        assertRefused(b.erase(never), held);
        assertThat(a.readHeld(key).basis()).isEqualTo(held.basis());
    }

    /** Not even where a vacant key looks as it did before. */
    @Test
    protected void whatIsHeldIsNotErased() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("held");
        Observation.Vacant never = vacant(a.read(key));
        Observation.Vacant left = left(a, key);
        Observation.Held held = a.acquire(key);

        assertRefused(b.erase(never), held);
        assertRefused(b.erase(left), held);

        assertThat(a.readHeld(key).basis()).isEqualTo(held.basis());
        assertThat(a.readHeld(key).record()).isEqualTo(held.record());
        assertThat(a.release(held)).isInstanceOf(WriteOutcome.Written.class);
    }

    /** A write sent before the erase that arrives late changes nothing, whether the key is vacant or held again. */
    @Test
    protected void aLateWriteAfterAnEraseChangesNothing() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("late");
        Observation.Vacant never = vacant(a.read(key));
        Observation.Held first = a.acquire(key);
        a.release(first);
        Observation.Vacant left = vacant(a.read(key));
        Observation.Vacant now = erased(a.erase(left));

        List<WriteOutcome> late = new ArrayList<>();
        late.addAll(late(a, first, List.of(never, left), now));
        assertThat(late).allMatch(WriteOutcome.Refused.class::isInstance);
        assertThat(a.read(key).basis()).isEqualTo(now.basis());
        Observation.Held later = b.acquire(key);
        late.addAll(late(a, first, List.of(never, left, now), later));

        assertThat(late).allMatch(WriteOutcome.Refused.class::isInstance);
        assertThat(b.readHeld(key).record()).isEqualTo(later.record());
        assertThat(b.readHeld(key).basis()).isEqualTo(later.basis());
    }

    private List<WriteOutcome> late(
            Contender a, Observation.Held term, List<Observation.Vacant> vacancies, Observation stands) {
        List<WriteOutcome> late = new ArrayList<>();
        for (Observation.Vacant basis : vacancies) {
            if (!areSame(basis, stands)) {
                late.add(a.acquire(term.key(), basis, a.proposal("late")));
                late.add(a.erase(basis));
            }
        }
        for (Intent intent : intents()) {
            late.add(a.update(term, term.record().withTerm(term.term()).withValue("late"), intent));
        }
        late.add(a.release(term));
        return late;
    }

    /** Also if the erased key had the newest term of all, which it has unless others write at the same time. */
    @Test
    protected void termsRiseOverAnErase() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("terms");
        long last = 0;
        for (int i = 0; i < TERMS; i++) {
            Contender next = i % 2 == 0 ? a : b;
            Observation.Held held = next.acquire(key);
            assertThat(held.term()).as("term %d", i).isGreaterThan(last);
            last = held.term();
            next.release(next.proclaim(held, "value"));
            erased(next.erase(vacant(next.read(key))));
        }
    }

    /** An erased key stays erased, and the second caller learns how the key reads. */
    @Test
    protected void aSecondEraseChangesNothing() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = member("twice");
        Observation.Vacant left = left(a, key);
        Observation.Vacant now = erased(a.erase(left));

        if (areSame(left, now)) {
            assertThat(erased(b.erase(left)).basis()).isEqualTo(now.basis());
        } else {
            assertRefused(b.erase(left), now);
        }
        assertThat(erased(b.erase(now)).basis()).isEqualTo(now.basis());

        assertThat(a.read(key).basis()).isEqualTo(now.basis());
        b.acquire(key);
    }

    /**
     * An erase whose time is over when it is sent may or may not have taken effect. Whatever the store answers is true,
     * and a refusal is final.
     */
    @Test
    protected void anEraseWithoutAnAnswerIsUnknown() {
        Contender a = contender();
        RecordKey key = member("unanswered");
        for (int round = 0; round < TERMS; round++) {
            Observation.Vacant left = left(a, key);

            Optional<WriteOutcome> outcome = a.outcome(
                            "erase", () -> a.store().erase(left, CallContext.within(Duration.ZERO)))
                    .optional();

            Observation now = a.read(key);
            assertThat(now).isInstanceOf(Observation.Vacant.class);
            if (outcome.orElse(null) instanceof WriteOutcome.Written written) {
                assertThat(now.basis()).isEqualTo(written.now().basis());
            } else if (outcome.isPresent()) {
                assertThat(now.basis()).as("basis after a refusal").isEqualTo(left.basis());
            }
        }
    }

    /** An erase and an acquire on one basis: only one of them takes effect. */
    @Test
    protected void anEraseRacingAnAcquireExcludesIt() throws Exception {
        List<Contender> writers = contenders(2);
        RecordKey key = member("raced-erase");
        Observation.Vacant seen = left(writers.get(0), key);
        onlyIf(!areSame(seen, erased(writers.get(0).erase(seen))), "an erase leaves no other basis");
        try (Race race = new Race(2)) {
            for (int round = 0; round < Math.min(rounds(), ROUNDS_MAX); round++) {
                writers.forEach(Contender::stayAlive);
                Observation.Vacant left = left(writers.get(0), key);

                List<Optional<WriteOutcome>> outcomes = race.run(i -> {
                    Contender writer = writers.get(i);
                    return writer.outcome(
                            "write",
                            () -> i == 0
                                    ? writer.store().erase(left, writer.call())
                                    : writer.send(key, left, writer.proposal("value")));
                });

                Observation stands = writers.get(0).read(key);
                boolean isHeld = stands instanceof Observation.Held;
                race.requireOneWinner(round, outcomes, i -> isHeld == (i == 1));
                if (stands instanceof Observation.Held held) {
                    writers.get(0).release(held);
                }
            }
        }
    }
}
