package dev.mandate.azureblob;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made with leases of blobs. */
class AzureBlobStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug(
                                "unknown-taken-for-a-win",
                                "A candidate leads though nobody answered whether its record was written.")
                        .edit(
                                "Acquisition.java",
                                ".write(what, path, Records.metadata(record), lease, at.etag(), call)",
                                ".write(what, path, Records.metadata(record), lease, at.etag(), call)"
                                        + " .exceptionally(unanswered -> new Answer(\"\", at.etag(), 0))")
                        .foundBy(
                                "AzuriteLostAnswersServerIT#aLeaseWithoutARecordIsGivenBack",
                                "AzuriteLostAnswersServerIT#aLostAnswerToTheRecordIsUnknownAndTheRecordStands"),
                bug("refused-renewal-taken-for-done", "A renewal counts though the lease is no longer the leader's.")
                        .edit(
                                "AzureBlobElectionStore.java",
                                ".thenCompose(renewed -> renewed.isDone() ?",
                                ".thenCompose(renewed -> renewed.isDone() || renewed.is(\"ConditionNotMet\")"
                                        + " || renewed.code().startsWith(\"Lease\") ?")
                        .foundBy("AzuriteStoreServerIT#aLeaseThatWasTakenSinceIsNotRenewed"),
                bug("renewal-without-a-version", "A renewal counts though its record was replaced.")
                        .edit(
                                "BlobConnection.java",
                                "new BlobRenewLeaseOptions().setRequestConditions(conditions(etag))",
                                "new BlobRenewLeaseOptions()")
                        .foundBy("AzuriteStrangersServerIT#whatAnUploadDroppedIsForeignUntilTheLeaseIsOver"),
                bug("write-without-a-version", "A record is written whatever it replaces.")
                        .edit(
                                "BlobConnection.java",
                                "new BlobRequestConditions().setLeaseId(lease).setIfMatch(quoted(etag))",
                                "new BlobRequestConditions().setLeaseId(lease)")
                        .foundBy("AzuriteServerIT#aStaleBasisIsRefused"),
                bug("give-back-of-a-term", "A lease is given back though its record was written after all.")
                        .edit(
                                "BlobConnection.java",
                                "new BlobReleaseLeaseOptions().setRequestConditions(conditions(etag))",
                                "new BlobReleaseLeaseOptions()")
                        .foundBy("AzuriteLostAnswersServerIT#aLostAnswerToTheRecordIsUnknownAndTheRecordStands"),
                bug("lease-in-doubt-kept", "A lease whose answer got lost is kept, and nobody leads until it ends.")
                        .edit(
                                "Acquisition.java",
                                "return again.whenComplete((taken, why) -> { if (why != null) {",
                                "return again.whenComplete((taken, why) -> { if (taken != null && why != null) {")
                        .foundBy("AzuriteLostAnswersServerIT#aLeaseInDoubtIsGivenBack"),
                bug("token-of-the-record-alone", "Tokens start again where somebody deleted the blob.")
                        .edit("Acquisition.java", "Math.max(last + 1, taken.clockMillis())", "last + 1")
                        .foundBy(
                                "AzuriteStoreServerIT#tokensRiseThroughADeletionWithinOneSecondThatTheNextLeaderNeverSaw"),
                bug("record-of-any-lease", "A record counts although the lease belongs to somebody else.")
                        .edit(
                                "Reader.java",
                                "sight.orElseGet(() -> new Sight(look, Holder.SOMEBODY_ELSE))",
                                "sight.orElseGet(() -> new Sight(look, Holder.OF_THE_RECORD))")
                        .foundBy("AzuriteStrangersServerIT#aStrangersLeaseOfABlobThatHasARecordIsForeign"),
                bug("broken-lease-not-noticed", "A leader works on although its lease was broken and can't be renewed.")
                        .edit("Records.java", "isBreaking ? record.askedToLeave() : record", "record")
                        .foundBy("AzuriteFaultsServerIT#aLeaseBrokenWithoutAPeriodEndsTheTermWithoutOverlap"),
                bug("busy-service-asked-again", "Requests are sent although the service asked to come back later.")
                        .edit(
                                "Exchanges.java",
                                "long throttled = isUrgent ? 0 : throttle.leftMillis();",
                                "long throttled = 0;")
                        .foundBy("AzuriteLostAnswersServerIT#aBusyServiceIsLeftAloneButForRenewals"),
                bug(
                                "sent-after-its-call",
                                "A renewal is sent after its call is over, and prolongs a lease that nobody leads by.")
                        .edit(
                                "Exchanges.java",
                                "() -> credentials.rejected(signedWith)",
                                "() -> credentials.rejected(signedWith).thenCompose(haveChanged -> { if (haveChanged) {"
                                        + " begin(call); return new CompletableFuture<Boolean>(); }"
                                        + " return CompletableFuture.completedFuture(false); })")
                        .foundBy("AzuriteBadInputServerIT#nothingIsSentWithOtherCredentialsOnceItsCallIsOver"),
                bug("secret-read-once", "A key or signature that was changed is never read again.")
                        .edit("Exchanges.java", ".rejected(signedWith)", ".rejected(null)")
                        .foundBy(
                                "AzuriteRotationServerIT#aRotatedKeyIsUsedOnceTheFormerIsRejected",
                                "AzuriteBadInputServerIT#aSignatureIsExchangedWhileALeaderLeads"),
                bug("file-read-where-answers-arrive", "A file of credentials that hangs holds up all answers.")
                        .edit(
                                "Credentials.java",
                                "return rotating.rejectedAside(used)",
                                "return CompletableFuture.completedFuture(rotating.rejected(used))")
                        .foundBy("ExchangesTest#aFileThatHangsHoldsUpOnlyWhatWasRefused"),
                bug("watch-of-own-keys", "Whoever follows a service is told only of the instances that it read itself.")
                        .edit(
                                "AzureBlobElectionStore.java",
                                "return watch(prefix, !prefix.equals(RecordKey.elections()), hints);",
                                "return watch(prefix, prefix.segments().isEmpty(), hints);")
                        .foundBy("AzuriteServerIT#aWatchTellsOfKeysThatNobodyHereUsed"));
    }
}
