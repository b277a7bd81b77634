package dev.mandate.testkit;

import static java.util.concurrent.CompletableFuture.completedStage;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.BuggyStore.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Mistakes that authors of stores make, each with the case that must find it. */
@SuppressWarnings("ImmutableEnumChecker") // The lambdas keep nothing.
enum PlantedStoreBug {
    RELEASE_IGNORES_ITS_BASIS(
            "aLateReleaseNeverFreesALaterTerm",
            Kind.CONSUL,
            store -> store.onRelease((real, key, basis, call) -> real.read(key, call)
                    .thenCompose(now -> real.release(key, now instanceof Observation.Held held ? held : basis, call)))),

    UPDATE_IGNORES_ITS_BASIS("aStaleBasisIsRefused", Kind.SQL, Mistakes::updateWhatStands),

    LATE_UPDATE_OVERWRITES_A_LATER_TERM(
            "aLateWriteAfterALaterTermChangesNothing", Kind.NATS, Mistakes::updateWhatStands),

    ACQUIRE_IGNORES_ITS_BASIS(
            "aSecondAcquireIsRefusedAndTheHolderShows",
            Kind.ETCD,
            store -> store.onAcquire((real, key, basis, proposal, session, call) -> real.read(key, call)
                    .thenCompose(now -> now instanceof Observation.Held held
                            ? real.release(key, held, call).thenCompose(gone -> real.read(key, call))
                            : completedStage(now))
                    .thenCompose(now -> real.acquire(key, now, proposal, session, call)))),

    /** A replicated store granted one expected revision to several writers. */
    ONE_BASIS_IS_GRANTED_TWICE("racedAcquiresHaveOneWinner", Kind.NATS, store -> {
        AtomicLong refusals = new AtomicLong();
        store.onAcquire((real, key, basis, proposal, session, call) -> real.acquire(key, basis, proposal, session, call)
                .thenApply(outcome ->
                        outcome instanceof WriteOutcome.Refused refused && refusals.incrementAndGet() % 20 == 0
                                ? WriteOutcome.written(refused.now().orElse(basis))
                                : outcome));
    }),

    UPDATES_ARE_LOST(
            "racedUpdatesHaveOneWinner",
            Kind.SQL,
            // Checks first and writes later, with no condition in the write: late enough for others to check meanwhile.
            store -> store.onUpdate((real, basis, record, intent, call) -> real.read(basis.key(), call)
                    .thenComposeAsync(
                            now -> now.basis().equals(basis.basis())
                                    ? Mistakes.overwrite(real, basis, record, call)
                                    : completedStage(WriteOutcome.refused(now)),
                            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)))),

    EVERY_RELEASE_IS_CALLED_WRITTEN(
            "racedReleasesHaveOneWinner",
            Kind.ETCD,
            store -> store.onRelease((real, key, basis, call) -> real.release(key, basis, call)
                    .thenCompose(outcome -> real.read(key, call).thenApply(WriteOutcome::written)))),

    RELEASE_AND_UPDATE_BOTH_SUCCEED(
            "aReleaseRacingAnUpdateExcludesIt",
            Kind.LEASE_OBJECT,
            store -> store.onRelease((real, key, basis, call) -> real.read(key, call)
                    .thenCompose(now -> real.release(key, now instanceof Observation.Held held ? held : basis, call)))),

    RIVALS_OF_ONE_SESSION_ALL_WIN(
            "aHundredRivalsHaveOneWinner",
            Kind.CONSUL,
            store -> store.onAcquire((real, key, basis, proposal, session, call) -> real.acquire(
                            key, basis, proposal, session, call)
                    .thenApply(outcome -> outcome instanceof WriteOutcome.Refused refused
                                    && refused.now().orElse(basis) instanceof Observation.Held held
                                    && held.record().incarnation().equals(proposal.incarnation())
                            ? WriteOutcome.written(held)
                            : outcome))),

    A_REFUSAL_SHOWS_NOBODY(
            "aSecondAcquireIsRefusedAndTheHolderShows",
            Kind.SQL,
            store -> store.onAcquire((real, key, basis, proposal, session, call) -> real.acquire(
                            key, basis, proposal, session, call)
                    .thenApply(outcome ->
                            outcome instanceof WriteOutcome.Refused ? WriteOutcome.refused(basis) : outcome))),

    PROCLAIM_PROLONGS("proclaimsDoNotProlongATerm", Kind.AZURE, store -> Mistakes.renewing(store, Intent.PROCLAIM)),

    THE_LEAVE_FLAG_RESTARTS_THE_WAIT(
            "proclaimsDoNotProlongATerm", Kind.LEASE_OBJECT, store -> Mistakes.renewing(store, Intent.ASK_TO_LEAVE)),

    TERMS_GO_BACK("termsRiseOverAThousandReleases", Kind.ETCD, store -> {
        AtomicLong terms = new AtomicLong();
        store.onAcquire((real, key, basis, proposal, session, call) ->
                real.acquire(key, basis, proposal.withTerm(1 + terms.incrementAndGet() % 200), session, call));
    }),

    EACH_KEY_COUNTS_BY_ITSELF("termsRiseAcrossKeysWhereTheStoreOrdersThem", Kind.ETCD, store -> {
        Map<RecordKey, AtomicLong> terms = new ConcurrentHashMap<>();
        store.onAcquire((real, key, basis, proposal, session, call) -> {
            long term = terms.computeIfAbsent(key, any -> new AtomicLong()).incrementAndGet();
            return real.acquire(key, basis, proposal.withTerm(term), session, call);
        });
    }),

    TERMS_START_AGAIN_AFTER_REOPENING("termsRiseAcrossReopening", Kind.ETCD, store -> {
        AtomicLong terms = new AtomicLong(5);
        store.onAcquire((real, key, basis, proposal, session, call) ->
                real.acquire(key, basis, proposal.withTerm(terms.getAndIncrement()), session, call));
    }),

    TERMS_START_AGAIN_AFTER_EXPIRY(
            "termsRiseWhenAHolderVanishes",
            Kind.AZURE,
            store -> store.onAcquire(
                    (real, key, basis, proposal, session, call) -> real.acquire(key, basis, proposal, session, call)
                            .thenApply(outcome -> Mistakes.withTerm(outcome, 1)))),

    TERMS_MOVE_WITH_UPDATES(
            "aTermStaysThroughAllItsUpdates",
            Kind.ETCD,
            store -> store.onUpdate((real, basis, record, intent, call) ->
                    real.update(basis.key(), basis, record.withTerm(0), intent, call))),

    UNKNOWN_FIELDS_ARE_DROPPED(
            "anUpdateKeepsAttemptTermAndUnknownFields",
            Kind.SQL,
            store -> store.onUpdate((real, basis, r, intent, call) -> real.update(
                    basis.key(),
                    basis,
                    new LeaderRecord(
                            r.candidate(),
                            r.incarnation(),
                            r.attempt(),
                            r.value(),
                            r.lease(),
                            r.term(),
                            r.leave(),
                            r.sinceMillis(),
                            Map.of()),
                    intent,
                    call))),

    THE_LEAVE_FLAG_OUTLIVES_ITS_ATTEMPT(
            "anAcquireCarriesNothingOver",
            Kind.SQL,
            store -> store.onAcquire(
                    // A column that the acquiring statement does not clear.
                    (real, key, basis, proposal, session, call) -> real.acquire(
                            key,
                            basis,
                            proposal.value().equals("new value") ? proposal.askedToLeave() : proposal,
                            session,
                            call))),

    CANDIDATES_ARE_CUT_SHORT(
            "anAcquiredRecordComesBackWhole",
            Kind.SQL,
            store -> store.onAcquire((real, key, basis, p, session, call) -> real.acquire(
                    key,
                    basis,
                    LeaderRecord.proposal(
                            p.candidate().substring(0, 20),
                            p.incarnation(),
                            p.attempt(),
                            p.value(),
                            p.lease(),
                            p.sinceMillis()),
                    session,
                    call))),

    NAMES_IGNORE_CASE("oddNamesStayApart", Kind.SQL, store -> {
        store.onRead((real, key, call) -> real.read(Mistakes.lowerCase(key), call));
        store.onAcquire((real, key, basis, proposal, session, call) ->
                real.acquire(Mistakes.lowerCase(key), basis, proposal, session, call));
    }),

    VALUES_ARE_TRIMMED(
            "oddValuesComeBackUnchanged",
            Kind.SQL,
            store -> store.onUpdate((real, basis, record, intent, call) -> real.update(
                    basis.key(), basis, record.withValue(record.value().stripTrailing()), intent, call))),

    THE_LISTING_STOPS_AFTER_A_PAGE(
            "aListingShowsEveryKeyOnce",
            Kind.ETCD,
            store -> store.onList((real, prefix, from, call) ->
                    real.list(prefix, from, call).thenApply(page -> new Page<>(page.items(), null)))),

    THE_LISTING_TAKES_NAMES_THAT_BEGIN_ALIKE(
            "aListingShowsEveryKeyOnce",
            Kind.SQL,
            store -> store.onList((real, prefix, from, call) -> real.list(RecordKey.elections(), from, call)
                    .thenApply(page -> new Page<>(
                            page.items().stream()
                                    .filter(o -> o.key().path().startsWith(prefix.path()))
                                    .toList(),
                            page.after())))),

    THE_LISTING_READS_NAMES_THAT_BEGIN_ALIKE(
            "aListingShowsEveryKeyOnce",
            Kind.AZURE,
            store -> store.onList((real, prefix, from, call) -> real.list(Mistakes.parent(prefix), from, call)
                    .thenApply(page -> new Page<>(
                            page.items().stream()
                                    .filter(o -> o.key().isBelow(prefix))
                                    .toList(),
                            page.after())))),

    THE_LISTING_LEAVES_ITS_PREFIX_OUT(
            "aListingShowsWhatStandsAtItsPrefix",
            Kind.ETCD,
            store -> store.onList((real, prefix, from, call) -> real.list(prefix, from, call)
                    .thenApply(page -> new Page<>(
                            page.items().stream()
                                    .filter(o -> !o.key().equals(prefix))
                                    .toList(),
                            page.after())))),

    THE_LISTING_LEAVES_LATER_VERSIONS_OUT(
            "aRegistrationOfALaterVersionIsListedWhole",
            Kind.CONSUL,
            store -> store.onList((real, prefix, from, call) -> real.list(prefix, from, call)
                    .thenApply(page -> new Page<>(
                            page.items().stream()
                                    .filter(o -> !(o instanceof Observation.Held held)
                                            || held.isForeign()
                                            || held.record().unknown().isEmpty())
                                    .toList(),
                            page.after())))),

    AN_ERASE_REMOVES_NOTHING(
            "anErasedKeyReadsAsNeverHeld",
            Kind.SQL,
            store -> store.onErase((real, basis, call) -> completedStage(WriteOutcome.written(basis)))),

    AN_ERASE_IGNORES_ITS_BASIS("anEraseOnAnOldBasisIsRefused", Kind.CONSUL, Mistakes::eraseWhatStands),

    AN_ERASE_TAKES_WHAT_IS_HELD(
            "whatIsHeldIsNotErased",
            Kind.ETCD,
            store -> store.onErase((real, basis, call) -> real.read(basis.key(), call)
                    .thenCompose(now -> now instanceof Observation.Held held
                            ? real.release(held.key(), held, call)
                            : real.erase((Observation.Vacant) now, call)))),

    /** Rows are counted from 1 again. */
    VERSIONS_START_AGAIN_AFTER_AN_ERASE("aLateWriteAfterAnEraseChangesNothing", Kind.SQL, store -> {
        Queue<Observation.Vacant> erased = new ConcurrentLinkedQueue<>();
        store.onErase((real, basis, call) -> real.erase(basis, call).thenApply(outcome -> {
            erased.add(basis);
            return outcome;
        }));
        store.onAcquire((real, key, basis, proposal, session, call) ->
                erased.stream().anyMatch(old -> old.basis().equals(basis.basis()))
                        ? real.read(key, call).thenCompose(now -> real.acquire(key, now, proposal, session, call))
                        : real.acquire(key, basis, proposal, session, call));
    }),

    TERMS_START_AGAIN_AFTER_AN_ERASE("termsRiseOverAnErase", Kind.AZURE, store -> {
        Set<RecordKey> erased = ConcurrentHashMap.newKeySet();
        store.onErase((real, basis, call) -> {
            erased.add(basis.key());
            return real.erase(basis, call);
        });
        store.onAcquire((real, key, basis, proposal, session, call) -> real.acquire(key, basis, proposal, session, call)
                .thenApply(outcome -> erased.contains(key) ? Mistakes.withTerm(outcome, 1) : outcome));
    }),

    EVERY_ERASE_IS_CALLED_WRITTEN(
            "aSecondEraseChangesNothing",
            Kind.NATS,
            store -> store.onErase((real, basis, call) -> real.erase(basis, call)
                    .thenCompose(outcome -> real.read(basis.key(), call).thenApply(WriteOutcome::written)))),

    /** Looks first, and deletes later: acquires take time, so that the look comes first whoever starts first. */
    AN_ERASE_CHECKS_FIRST("anEraseRacingAnAcquireExcludesIt", Kind.CONSUL, store -> {
        store.onErase((real, basis, call) -> real.read(basis.key(), call)
                .thenComposeAsync(
                        now -> now.basis().equals(basis.basis())
                                ? real.erase(basis, call)
                                        .thenApply(outcome -> outcome instanceof WriteOutcome.Written
                                                ? outcome
                                                : WriteOutcome.written(now))
                                : completedStage(WriteOutcome.refused(now)),
                        CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)));
        store.onAcquire((real, key, basis, proposal, session, call) -> completedStage(basis)
                .thenComposeAsync(
                        seen -> real.acquire(key, seen, proposal, session, call),
                        CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS)));
    }),

    /** The caller had given up, and is told that nothing happened. */
    AN_UNANSWERED_ERASE_IS_CALLED_REFUSED(
            "anEraseWithoutAnAnswerIsUnknown",
            Kind.NATS,
            store -> store.onErase((real, basis, call) -> real.erase(basis, CallContext.within(Duration.ofSeconds(10)))
                    .thenApply(outcome -> call.isOver() ? WriteOutcome.refused() : outcome))),

    CLOSE_ENDS_THE_SESSIONS("closingReleasesNothing", Kind.ETCD, BuggyStore::endSessionsOnClose),

    A_CLOSED_STORE_ANSWERS("callsOfAClosedStoreFail", Kind.ETCD, BuggyStore::forgetToClose),

    AN_ENDED_SESSION_RENEWS("anEndedSessionStaysEnded", Kind.ETCD, Mistakes::alwaysRenewed),

    A_DEPOSED_SESSION_RENEWS("aDeposedHolderCannotRenew", Kind.SQL, Mistakes::alwaysRenewed),

    AN_EXPIRED_SESSION_RENEWS("aVanishedSessionLosesAllItsElections", Kind.ETCD, Mistakes::alwaysRenewed),

    SESSIONS_SHARE_AN_ID("everySessionIsNew", Kind.SQL, store -> store.onSessionId(id -> "host-1234")),

    ENDING_A_SESSION_ENDS_NOTHING(
            "theEndOfASessionEndsAllItsElections",
            Kind.ETCD,
            store -> store.onEnd((real, call) -> completedStage(null))),

    A_SESSION_RENEWAL_MOVES_THE_BASIS(
            "aSessionRenewalMovesNoBasis", Kind.SQL, BuggyStore::writeRecordsWhenTheSessionIsRenewed),

    /** The server keeps less than it grants. */
    FREED_TOO_EARLY(
            "anUnrenewedLeaseIsRemovedInTime", Kind.ETCD, store -> store.onGranted(lease -> lease.multipliedBy(2))),

    FREED_TOO_LATE(
            "anUnrenewedLeaseIsRemovedInTime",
            Kind.CONSUL,
            store -> store.onTraits(traits -> traits.withExpiry(1.0, Duration.ofMillis(50)))),

    REMOVED_ALTHOUGH_OBSERVERS_JUDGE(
            "anUnrenewedRecordStaysUntilReplaced",
            Kind.SQL,
            Kind.ETCD,
            store -> store.onTraits(traits -> StoreTraits.of("planted", Expiry.OBSERVER_JUDGES, traits.leaseScope()))),

    RENEWALS_DO_NOTHING(
            "renewalsKeepARecordAlive",
            Kind.ETCD,
            store -> store.onRenew((real, call) -> completedStage(SessionRenewal.renewed(real.granted())))),

    A_TAKE_OVER_IGNORES_LIVENESS(
            "aTakeOverNeedsTheLivenessItSaw",
            Kind.SQL,
            store -> store.onAcquire((real, key, basis, proposal, session, call) -> real.read(key, call)
                    .thenCompose(now -> real.acquire(
                            key, now.basis().equals(basis.basis()) ? now : basis, proposal, session, call)))),

    RENEWALS_CARRY_NO_GRANT(
            "aGrantComesWithWhatRenews",
            Kind.NATS,
            store -> store.onUpdate((real, basis, record, intent, call) -> real.update(
                            basis.key(), basis, record, intent, call)
                    .thenApply(outcome -> outcome instanceof WriteOutcome.Written written
                            ? WriteOutcome.written(written.now())
                            : outcome))),

    THE_WATCH_IS_SILENT(
            "aWatchTellsWhatChanged",
            Kind.ETCD,
            store -> store.onWatch((real, prefix, hints) -> real.watch(prefix, hint -> {}))),

    THE_WATCH_IGNORES_ITS_PREFIX(
            "aWatchTellsWhatChanged",
            Kind.ETCD,
            store -> store.onWatch((real, prefix, hints) -> real.watch(RecordKey.elections(), hints))),

    THE_WATCH_TELLS_ONLY_OF_KEYS_USED_HERE(
            "aWatchTellsOfKeysThatNobodyHereUsed", Kind.CONSUL, Mistakes::watchWhatIsUsed),

    THE_WATCH_OF_ALL_TELLS_ONLY_OF_KEYS_USED_HERE(
            "aWatchOfAllElectionsTellsOfThoseThatNobodyHereUsed", Kind.CONSUL, Mistakes::watchWhatIsUsed),

    WHOLE_SPACES_ARE_HIDDEN("whoFollowsAllElectionsAndServicesSeesWhatOthersDo", Kind.ETCD, Mistakes::hideWholeSpaces),

    ALL_QUEUES_ARE_HIDDEN("whoFollowsAllQueuesSeesWhoWaits", Kind.SQL, Mistakes::hideWholeSpaces),

    REMOVALS_ARE_NOT_TOLD(
            "aWatchTellsOfKeysThatVanish",
            Kind.AZURE,
            store -> store.onWatch((real, prefix, hints) -> real.watch(prefix, hint -> {
                if (hint instanceof Hint.Seen seen && seen.observation() instanceof Observation.Held) {
                    hints.accept(hint);
                }
            }))),

    THE_WATCH_TAKES_NAMES_THAT_BEGIN_ALIKE(
            "aWatchTellsNothingOfNeighbours",
            Kind.CONSUL,
            store -> store.onWatch((real, prefix, hints) ->
                    real.watch(new RecordKey(prefix.space(), List.of()), hint -> {
                        if (!(hint instanceof Hint.Seen seen)
                                || seen.observation().key().path().startsWith(prefix.path())) {
                            hints.accept(hint);
                        }
                    }))),

    A_CLOSED_WATCH_GOES_ON("aClosedWatchIsSilent", Kind.ETCD, store -> store.onWatch(Mistakes::watchForEver)),

    A_PERMANENT_FAULT_IS_NOT_TYPED(
            "aPermanentFaultIsTyped",
            Kind.SQL,
            store -> store.onRead((real, key, call) -> real.read(key, call).exceptionally(e -> {
                throw e instanceof StoreSetupException
                        ? new IllegalStateException(e.getMessage())
                        : new RuntimeException(e);
            }))),

    A_FOREIGN_RECORD_LOOKS_VACANT(
            "aForeignRecordShowsAndCanBeReleased",
            Kind.ETCD,
            store -> store.onRead((real, key, call) -> real.read(key, call)
                    .thenApply(seen -> seen instanceof Observation.Held held && held.isForeign()
                            ? Observation.vacant(key, held.basis())
                            : seen))),

    A_FRESH_KEY_HAS_A_NEW_BASIS_EVERY_TIME(
            "aFreshKeyIsVacant",
            Kind.SQL,
            store -> store.onRead((real, key, call) -> real.read(key, call)
                    .thenApply(seen -> seen instanceof Observation.Vacant
                            ? Observation.vacant(key, new BuggyStore.Moving(System.nanoTime()))
                            : seen))),

    A_RELEASE_LEAVES_THE_RECORD(
            "aReleaseMakesVacant",
            Kind.ETCD,
            store -> store.onRelease((real, key, basis, call) ->
                    completedStage(WriteOutcome.written(Observation.vacant(key, basis.basis()))))),

    AN_ANSWER_BELONGS_TO_ANOTHER_ATTEMPT(
            "anUnknownWriteIsResolvedByItsAttempt",
            Kind.ETCD,
            store -> store.onAcquire((real, key, basis, proposal, session, call) -> real.acquire(
                            key, basis, proposal, session, call)
                    .thenApply(outcome -> outcome instanceof WriteOutcome.Refused refused
                                    && refused.now().isPresent()
                            ? WriteOutcome.written(refused.now().get())
                            : outcome))),

    SESSIONS_ARE_PRETENDED("aStoreWithoutSessionsOpensNone", Kind.NATS, BuggyStore::pretendSessions),

    THE_TRAITS_ARE_UPSIDE_DOWN(
            "theTraitsAreSound",
            Kind.ETCD,
            store -> store.onTraits(
                    traits -> traits.withLeaseBounds(traits.leaseMax(), traits.leaseMin(), traits.leaseStep())));

    final String foundBy;
    /** The kind it is planted in, and the one that shows that the case can succeed. */
    final Kind kind;

    final Kind control;
    final Consumer<BuggyStore> plant;

    PlantedStoreBug(String foundBy, Kind kind, Consumer<BuggyStore> plant) {
        this(foundBy, kind, kind, plant);
    }

    PlantedStoreBug(String foundBy, Kind control, Kind kind, Consumer<BuggyStore> plant) {
        this.foundBy = foundBy;
        this.control = control;
        this.kind = kind;
        this.plant = plant;
    }
}
