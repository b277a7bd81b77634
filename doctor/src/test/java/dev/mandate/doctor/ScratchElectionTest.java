package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong half way: it is said, the rest is tried where that makes sense, and nothing stays behind. */
class ScratchElectionTest {
    private static final String NAME = "made-up";
    private static final RecordKey KEY = RecordKey.election(NAME);

    private Contrary store = new Contrary("memory:");
    private final List<Finding> findings = new ArrayList<>();

    @AfterEach
    void close() {
        store.close();
    }

    private List<Finding> examine() throws InterruptedException {
        return examine("60s", false);
    }

    private List<Finding> examine(String lease, boolean letsExpire) throws InterruptedException {
        Explanation explanation;
        try (ElectionClient client = ElectionClient.connect("memory:?lease=" + lease)) {
            explanation = client.explain();
        }
        Examined examined = new Examined(store, explanation, new Questions(Duration.ofMillis(300)));
        new ScratchElection(examined, new Diagnosis(findings::add), NAME, letsExpire).examine();
        return findings;
    }

    private void assertSays(Severity severity, String... words) {
        assertThat(findings)
                .as("%s", List.of(words))
                .anyMatch(
                        f -> f.severity() == severity && List.of(words).stream().allMatch(f.sentence()::contains));
    }

    private void assertNothingLeft() throws Exception {
        CallContext call = CallContext.within(Duration.ofSeconds(10));
        assertThat(store.real.read(KEY, call).toCompletableFuture().get()).isInstanceOf(Observation.Vacant.class);
        assertThat(store.erased).isTrue();
    }

    @Test
    void whatIsWellIsSaidToBe() throws Exception {
        assertThat(examine()).allMatch(f -> f.severity() == Severity.OK);
        assertSays(Severity.OK, "listing", "acquiring", "updating", "releasing worked");
        assertNothingLeft();
    }

    @Test
    void aRightThatIsMissingIsNamedWithTheVerbThatTakesIt() throws Exception {
        store.contrary = Verb.UPDATE;
        store.answer = CompletableFuture.failedFuture(StoreSetupException.denied("not with these", null));
        examine();

        assertSays(Severity.ERROR, "not with these", "updating requires: the right to updating of " + KEY);
        assertSays(Severity.OK, "acquiring, releasing worked");
        assertNothingLeft();
    }

    /** What sounds like a right is none: the kind of the fault says so, not its words. */
    @Test
    void whatIsNoMatterOfRightsNamesNone() throws Exception {
        store.contrary = Verb.UPDATE;
        store.answer =
                CompletableFuture.failedFuture(new StoreSetupException("refused: permission denied by a full disk"));
        examine();

        assertSays(Severity.ERROR, "by a full disk");
        assertThat(findings).extracting(Finding::sentence).noneMatch(said -> said.contains("updating requires"));
        assertNothingLeft();
    }

    /** People are told what stands there, and no text that was made for programmers. */
    @Test
    void aRefusalIsToldInWords() throws Exception {
        store.contrary = Verb.ACQUIRE;
        store.answer = CompletableFuture.completedFuture(WriteOutcome.refused());
        examine();

        assertSays(Severity.ERROR, "acquiring was refused", "the store does not show its record");
        assertThat(findings).extracting(Finding::sentence).noneMatch(said -> said.contains("refused: "));
    }

    @Test
    void withoutTheRightToListTheRestIsTried() throws Exception {
        store.contrary = Verb.LIST;
        store.answer = CompletableFuture.failedFuture(StoreSetupException.denied("not with these", null));
        examine();

        assertSays(Severity.ERROR, "not with these", "listing requires");
        assertNothingLeft();
    }

    @Test
    void anAnswerThatNeverComesEndsTheExaminationButNotTheCleaningUp() throws Exception {
        store.contrary = Verb.UPDATE;
        store.answer = new CompletableFuture<>();
        examine();

        assertSays(Severity.ERROR, "updating", "got no answer within 300 ms", "later operations were not tried");
        assertNothingLeft();
    }

    /** The write took effect, and nobody was told. */
    @Test
    void anAcquireWhoseAnswerWasLostIsUndone() throws Exception {
        store.contrary = Verb.ACQUIRE;
        store.isDoneAllTheSame = true;
        store.answer = CompletableFuture.failedFuture(new StoreUnavailableException("the answer was lost"));
        examine();

        assertSays(Severity.ERROR, "the answer was lost", "later operations were not tried");
        assertNothingLeft();
    }

    /** Ending the session does it, too. */
    @Test
    void aReleaseThatFailsLeavesNothingWhereASessionKeepsIt() throws Exception {
        store.contrary = Verb.RELEASE;
        store.answer = CompletableFuture.failedFuture(new StoreUnavailableException("gone for good"));
        examine();

        assertSays(Severity.ERROR, "gone for good");
        assertNothingLeft();
    }

    @Test
    void whatCannotBeRemovedIsNamed() throws Exception {
        store.close();
        store = new Contrary("memory:?scope=record");
        store.contrary = Verb.RELEASE;
        store.answer = CompletableFuture.failedFuture(new StoreUnavailableException("gone for good"));
        examine();

        assertSays(Severity.ERROR, "gone for good");
        assertSays(Severity.WARNING, "'" + NAME + "'", "until its lease of 1 min 0 s expires", "gone for good");
    }

    /** The right to delete is not among those that elections need. */
    @Test
    void whatMayNotBeErasedStaysAndIsSaid() throws Exception {
        store.contrary = Verb.ERASE;
        store.answer = CompletableFuture.failedFuture(StoreSetupException.denied("not with these", null));
        examine();

        assertThat(findings).allMatch(f -> f.severity() == Severity.OK);
        assertSays(
                Severity.OK,
                "'" + NAME + "' remains",
                "may not delete",
                "erasing requires: the right to erasing of " + KEY);
    }

    @Test
    void whatIsNotErasedForAnotherReasonIsAWarning() throws Exception {
        store.contrary = Verb.ERASE;
        store.answer = CompletableFuture.completedFuture(WriteOutcome.refused());
        examine();

        assertSays(Severity.WARNING, "'" + NAME + "'", "removing " + KEY + " was refused");
    }

    @Test
    void aStoreWhereNothingIsConditionalIsUnsafe() throws Exception {
        store.isHeedless = true;
        examine();

        assertSays(Severity.ERROR, "an update on an old basis was written", "not safe in this store");
        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "memory:?scope=record"})
    void aLeaseThatRunsOutInTimeIsFine(String url) throws Exception {
        store.close();
        store = new Contrary(url);
        examine("1s", true);

        assertSays(Severity.OK, "a lease of 1 s expired", "believes that it leads for up to 909 ms");
        assertNothingLeft();
    }

    /** What nobody renews is shown as vacant after a moment. */
    @Test
    void aLeaseThatIsOverTooSoonIsAnError() throws Exception {
        store.isHasty = true;
        examine("60s", true);

        assertSays(Severity.ERROR, "a lease of 1 min 0 s expired", "two may lead");
    }

    /** It expires at twice its length, and the traits do not say so. */
    @Test
    void aLeaseThatIsOverTooLateIsAWarning() throws Exception {
        store.close();
        store = new Contrary("memory:?expiryFactor=2.5");
        store.hidesFactor = true;
        examine("1s", true);

        assertSays(Severity.WARNING, "a lease of 1 s", "crash failover will be slower than predicted");
    }

    @Test
    void whereObserversJudgeNothingIsWaitedFor() throws Exception {
        store.close();
        store = new Contrary("memory:?expiry=observer-judges");
        examine("60s", true);

        assertSays(Severity.OK, "each candidate decides by its own clock");
        assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({
        "OK, 60s, granted 1 min 0 s",
        "OK, 55s, granted 55 s; all times are shorter",
        "WARNING, 50s, granted 50 s; all times are shorter",
        "WARNING, 70s, crash failover takes that much longer"
    })
    void aLeaseThatIsNotTheOneAskedForIsSaid(Severity severity, String granted, String words) throws Exception {
        store.granted = Duration.parse("PT" + granted);
        examine();

        assertSays(severity, "asked for 1 min 0 s", words);
        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "memory:?scope=record"})
    void aStoreMayWantAMomentBeforeTheFirstTerm(String url) throws Exception {
        store.close();
        store = new Contrary(url);
        store.refusals = 1;
        examine();

        assertThat(findings).allMatch(f -> f.severity() == Severity.OK);
        assertSays(Severity.OK, "granted 1 min 0 s");
        assertNothingLeft();
    }

    @Test
    void aStoreThatRefusesForNoReasonIsNotAskedForEver() throws Exception {
        store.refusals = 2;
        examine();

        assertSays(Severity.ERROR, "acquiring was refused, though nobody else knows the election");
        assertNothingLeft();
    }

    @Test
    void aWatchThatIsOverIsSaid() throws Exception {
        store.closesWatches = true;
        examine();

        assertSays(Severity.WARNING, "the watch ended: no right to watch", "followers poll every");
        assertNothingLeft();
    }

    /** A memory store, one of whose verbs does not do as it should. */
    private static final class Contrary implements ElectionStore, Diagnosable {
        final ElectionStore real;

        @Nullable
        Verb contrary;

        CompletableFuture<?> answer = new CompletableFuture<>();
        boolean isDoneAllTheSame;
        int refusals;
        boolean isHeedless;
        boolean closesWatches;
        boolean isHasty;
        boolean hidesFactor;

        @Nullable
        Duration granted;

        private int looks;
        boolean erased;
        private Observation.@Nullable Held newest;

        Contrary(String url) {
            this.real = ServiceLoader.load(ElectionStoreProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(p -> p.schemes().contains("memory"))
                    .findFirst()
                    .orElseThrow()
                    .open(StoreUrl.parse(url));
        }

        @SuppressWarnings("unchecked")
        private <T> CompletionStage<T> unlessContrary(Verb verb, CompletionStage<T> done) {
            return verb == contrary ? (CompletionStage<T>) answer : done;
        }

        private boolean isDone(Verb verb) {
            return verb != contrary || isDoneAllTheSame;
        }

        @Override
        public StoreTraits traits() {
            return hidesFactor ? real.traits().withExpiry(1.0, Duration.ZERO) : real.traits();
        }

        @Override
        public CompletionStage<Observation> read(RecordKey key, CallContext call) {
            // The first look is that before the term, the next ones are those at a lease that runs out.
            boolean isLie = isHasty && ++looks > 2;
            return isLie
                    ? CompletableFuture.completedFuture(Observation.vacant(key, new Basis() {}))
                    : real.read(key, call);
        }

        @Override
        public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
            return unlessContrary(Verb.LIST, real.list(prefix, from, call));
        }

        @Override
        public CompletionStage<WriteOutcome> acquire(
                RecordKey key,
                Observation basis,
                LeaderRecord proposal,
                @Nullable StoreSession session,
                CallContext call) {
            if (refusals > 0) {
                refusals--;
                return CompletableFuture.completedFuture(WriteOutcome.refusedFor(Duration.ofMillis(10), basis));
            }
            CompletionStage<WriteOutcome> done = isDone(Verb.ACQUIRE)
                    ? real.acquire(key, basis, proposal, session == null ? null : ((Granting) session).own, call)
                    : CompletableFuture.completedFuture(WriteOutcome.refused());
            return unlessContrary(Verb.ACQUIRE, done.thenApply(this::noted));
        }

        private WriteOutcome noted(WriteOutcome outcome) {
            if (outcome instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held) {
                newest = held;
            }
            return outcome;
        }

        @Override
        public CompletionStage<WriteOutcome> update(
                RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
            Observation.Held newestNow = newest;
            Observation.Held on = isHeedless && newestNow != null ? newestNow : basis;
            CompletionStage<WriteOutcome> done = isDone(Verb.UPDATE)
                    ? real.update(key, on, record, intent, call)
                    : CompletableFuture.completedFuture(WriteOutcome.refused());
            return unlessContrary(Verb.UPDATE, done.thenApply(this::noted));
        }

        @Override
        public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
            CompletionStage<WriteOutcome> done = isDone(Verb.RELEASE)
                    ? real.release(key, basis, call)
                    : CompletableFuture.completedFuture(WriteOutcome.refused());
            return unlessContrary(Verb.RELEASE, done);
        }

        @Override
        public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
            return real.openSession(lease, call).thenApply(session -> new Granting(session, granted));
        }

        @Override
        public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
            if (closesWatches) {
                throw new StoreSetupException("no right to watch");
            }
            return real.watch(prefix, hints);
        }

        @Override
        public void close() {
            real.close();
        }

        @Override
        public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public Optional<String> rightFor(Verb verb, RecordKey key) {
            return Optional.of("the right to " + verb.words() + " of " + key);
        }

        @Override
        public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
            return unlessContrary(Verb.ERASE, real.erase(basis, call).thenApply(outcome -> {
                erased = outcome instanceof WriteOutcome.Written && basis.key().equals(KEY);
                return outcome;
            }));
        }
    }

    /**
     * A session that says of itself what it likes.
     *
     * @param claimed null for the truth
     */
    private record Granting(StoreSession own, @Nullable Duration claimed) implements StoreSession {
        @Override
        public String id() {
            return own.id();
        }

        @Override
        public Duration granted() {
            return claimed == null ? own.granted() : claimed;
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            return own.renew(call).thenApply(renewal -> claimed == null ? renewal : SessionRenewal.renewed(claimed));
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return own.end(call);
        }
    }
}
