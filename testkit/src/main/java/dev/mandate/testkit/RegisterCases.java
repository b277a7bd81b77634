package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A compare-and-set register per key. */
abstract class RegisterCases extends ConformanceFixture {

    /** A key that was never written is vacant, and keeps one basis. */
    @Test
    protected void aFreshKeyIsVacant() {
        Contender a = contender();
        RecordKey key = key("fresh");

        Observation seen = a.read(key);

        assertThat(seen).isInstanceOf(Observation.Vacant.class);
        assertThat(seen.key()).isEqualTo(key);
        assertThat(a.read(key).basis()).isEqualTo(seen.basis());
    }

    /** Acquire writes the whole record, and everybody reads what it returned. */
    @Test
    protected void anAcquiredRecordComesBackWhole() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("whole");
        LeaderRecord proposal = a.proposal("10.0.0.7:8080");

        Observation.Held held = Contender.written(a.acquire(key, a.read(key), proposal), "acquire");

        assertThat(withoutTerm(held.record())).isEqualTo(proposal);
        assertThat(held.term()).as("fencing token").isPositive();
        Observation.Held read = b.readHeld(key);
        assertThat(read.key()).isEqualTo(key);
        assertThat(read.record()).isEqualTo(held.record());
        assertThat(read.basis()).isEqualTo(held.basis());
        assertThat(read.liveness()).isEqualTo(held.liveness());
        assertThat(read.term()).isEqualTo(held.term());
    }

    /** Of two writes on one basis only the first is written, and the second learns who was first. */
    @Test
    protected void aSecondAcquireIsRefusedAndTheHolderShows() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("second");
        Observation vacant = b.read(key);
        LeaderRecord first = a.proposal("first");
        a.acquire(key, a.read(key), first);

        WriteOutcome outcome = b.acquire(key, vacant, b.proposal("second"));

        assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
        Observation shown = ((WriteOutcome.Refused) outcome).now().orElseGet(() -> b.read(key));
        assertThat(shown).isInstanceOf(Observation.Held.class);
        assertThat(((Observation.Held) shown).isAttempt(first.attempt())).isTrue();
        assertThat(b.readHeld(key).record().value()).isEqualTo("first");
    }

    /** A write on an outdated basis changes nothing. */
    @Test
    protected void aStaleBasisIsRefused() {
        Contender a = contender();
        RecordKey key = key("stale");
        Observation.Held old = a.acquire(key);
        Observation.Held current = a.proclaim(old, "current");

        assertThat(current.basis()).isNotEqualTo(old.basis());
        assertThat(a.update(old, old.record().withTerm(old.term()).withValue("stale"), Intent.PROCLAIM))
                .isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.release(old)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.readHeld(key).record()).isEqualTo(current.record());
        assertThat(a.readHeld(key).basis()).isEqualTo(current.basis());
    }

    /** Fields of a newer version survive every update of the attempt; the term stays the same. */
    @Test
    protected void anUpdateKeepsAttemptTermAndUnknownFields() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("keeps");
        Observation.Held acquired = a.acquire(key);
        LeaderRecord r = acquired.record();
        Map<String, String> unknown = Map.of("future", "{\"a\":[1,2.5,\"x\\\"y\",null,true]}", "other", "\"text\"");
        LeaderRecord newer = new LeaderRecord(
                r.candidate(),
                r.incarnation(),
                r.attempt(),
                "new value",
                r.lease(),
                acquired.term(),
                false,
                r.sinceMillis(),
                unknown);
        Contender.written(a.update(acquired, newer, Intent.PROCLAIM), "proclaim");

        Observation.Held seen = b.readHeld(key);
        Observation.Held flagged =
                Contender.written(b.update(seen, seen.record().askedToLeave(), Intent.ASK_TO_LEAVE), "leave flag");

        assertThat(seen.record()).isEqualTo(newer);
        assertThat(flagged.record()).isEqualTo(newer.askedToLeave());
        assertThat(a.readHeld(key).record()).isEqualTo(newer.askedToLeave());
        assertThat(a.readHeld(key).term()).isEqualTo(acquired.term());
    }

    /** A new term starts clean: no flag, no unknown field and no value of the former one. */
    @Test
    protected void anAcquireCarriesNothingOver() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("clean");
        Observation.Held held = a.acquire(key);
        LeaderRecord r = held.record();
        LeaderRecord marked = new LeaderRecord(
                r.candidate(),
                r.incarnation(),
                r.attempt(),
                "old value",
                r.lease(),
                held.term(),
                true,
                r.sinceMillis(),
                Map.of("future", "1"));
        Observation.Held current = Contender.written(a.update(held, marked, Intent.ASK_TO_LEAVE), "leave flag");
        a.release(current);

        LeaderRecord proposal = b.proposal("new value");
        Observation.Held next = Contender.written(b.acquire(key, b.read(key), proposal), "next acquire");

        assertThat(withoutTerm(next.record())).isEqualTo(proposal);
        assertThat(withoutTerm(a.readHeld(key).record())).isEqualTo(proposal);
    }

    /** Release makes the key vacant once. */
    @Test
    protected void aReleaseMakesVacant() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("release");
        Observation.Held held = a.acquire(key);

        WriteOutcome released = a.release(held);

        assertThat(released).isInstanceOf(WriteOutcome.Written.class);
        assertThat(((WriteOutcome.Written) released).now()).isInstanceOf(Observation.Vacant.class);
        assertThat(b.read(key)).isInstanceOf(Observation.Vacant.class);
        assertThat(a.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        b.acquire(key);
    }

    /** Release is no unlock by name: on an ended term's basis it never frees a later one, even of the same session. */
    @Test
    protected void aLateReleaseNeverFreesALaterTerm() {
        Contender a = contender();
        RecordKey key = key("late-release");
        Observation.Held first = a.acquire(key);
        a.release(first);
        Observation.Held second = a.acquire(key);

        assertThat(a.release(first)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.readHeld(key).isAttempt(second.record().attempt())).isTrue();
    }

    /** Nothing that a former leader sent and that arrives late changes another's later term. */
    @Test
    protected void aLateWriteAfterALaterTermChangesNothing() {
        Contender a = contender();
        Contender b = contender();
        Contender c = contender();
        RecordKey key = key("late");
        Observation vacant = a.read(key);
        Observation.Held first = a.acquire(key);
        Observation.Held proclaimed = a.proclaim(first, "proclaimed");
        a.release(proclaimed);
        Observation.Held later = b.acquire(key);

        List<WriteOutcome> late = new ArrayList<>();
        late.add(a.acquire(key, vacant, a.proposal("late")));
        for (Observation.Held old : List.of(first, proclaimed)) {
            for (Intent intent : intents()) {
                late.add(a.update(old, old.record().withTerm(old.term()).withValue("late"), intent));
            }
            late.add(a.release(old));
            late.add(c.acquire(key, old, c.proposal("late")));
        }

        assertThat(late).allMatch(WriteOutcome.Refused.class::isInstance);
        assertThat(b.readHeld(key).record()).isEqualTo(later.record());
        assertThat(b.readHeld(key).basis()).isEqualTo(later.basis());
    }

    /** Any name that the key type accepts works, and no two of them collide. */
    @Test
    protected void oddNamesStayApart() {
        Contender a = contender();
        String run = unique("n");
        List<RecordKey> keys = new ArrayList<>();
        for (String name : oddNames()) {
            keys.add(new RecordKey(RecordKey.ELECTIONS, List.of(run, name)));
        }
        keys.add(new RecordKey(RecordKey.ELECTIONS, List.of(run, "a", "b")));
        keys.add(new RecordKey(RecordKey.REGISTRATIONS, List.of(run, "a")));

        // A name that is taken for another would not be vacant. Each is read at once: a short lease may be over later.
        List<Observation.Held> all = new ArrayList<>();
        for (RecordKey key : keys) {
            assertThat(a.read(key)).as("read of %s", key).isInstanceOf(Observation.Vacant.class);
            Observation.Held held = a.acquire(key);
            Observation.Held seen = a.readHeld(key);
            assertThat(seen.key()).isEqualTo(key);
            assertThat(seen.record()).as("record at %s", key).isEqualTo(held.record());
            all.add(held);
        }
        all.forEach(a::release);
    }

    private static List<String> oddNames() {
        String longest = "x".repeat(RecordKey.NAME_BYTES_MAX);
        return List.of(
                "a",
                "A",
                "a/b",
                "/",
                "//",
                "a ",
                " a",
                ".",
                "..",
                "...",
                "%",
                "%2F",
                "a%2Fb",
                "?q=1&r",
                "#",
                "\\",
                "'",
                "\"",
                "';--",
                "${x}",
                "*",
                "a*",
                ">",
                "_",
                "a_",
                "\u00e4",
                "a\u0308",
                "\u4e2d\u6587",
                "\uD83D\uDE00",
                longest,
                longest.substring(1) + "y");
    }

    /** Any value comes back unchanged, up to the longest that the store declares. */
    @Test
    protected void oddValuesComeBackUnchanged() {
        Contender a = contender();
        RecordKey key = key("values");
        Observation.Held held = a.acquire(key);
        for (String value : oddValues(a.store().traits().valueBytesMax())) {
            held = a.proclaim(held, value);
            assertThat(a.readHeld(key).record().value()).isEqualTo(value);
        }
    }

    private static List<String> oddValues(int bytesMax) {
        String euro = "\u20ac";
        int euros = bytesMax / euro.getBytes(StandardCharsets.UTF_8).length;
        return List.of(
                "",
                " ",
                "  two  ",
                "line\nfeed\r\n\ttab",
                "\u001b[31mred",
                "\u0000nul",
                "\"quoted\" \\ '",
                "{\"json\":1}",
                "\u4e2d\uD83D\uDE00",
                "\u2028",
                "null",
                "x".repeat(1024),
                euro.repeat(euros),
                "y".repeat(bytesMax));
    }

    /** A record of another program is shown as foreign, cannot be acquired on an old basis, and can be released. */
    @Test
    protected void aForeignRecordShowsAndCanBeReleased() throws Exception {
        Contender a = contender();
        RecordKey key = key("foreign");
        Observation vacant = a.read(key);
        onlyIfCovered(writeForeign(key, "somebody else"), "writeForeign()");

        Observation.Held seen = a.readHeld(key);
        assertThat(seen.isForeign()).isTrue();
        assertThat(a.acquire(key, vacant, a.proposal("value"))).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.release(seen)).isInstanceOf(WriteOutcome.Written.class);
        assertThat(a.read(key)).isInstanceOf(Observation.Vacant.class);
        a.acquire(key);
    }
}
