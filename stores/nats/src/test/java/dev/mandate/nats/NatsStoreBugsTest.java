package dev.mandate.nats;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made on NATS. */
class NatsStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug(
                                "release-leaves-a-deletion",
                                "The marker of a release is a deletion, which a marker of the server follows.")
                        .edit(
                                "Wire.java",
                                "headers.put(Entry.OPERATION, Entry.RELEASED); return write(",
                                "headers.put(Entry.OPERATION, \"DEL\"); return write(")
                        .foundBy("NatsStoreServerIT#aReleaseLeavesNoKeyAndItsMarkerGoesWithoutAnother"),
                bug("write-without-a-revision", "A write says no more which revision it replaces.")
                        .edit("Wire.java", "headers.put(Entry.EXPECTED, Long.toString(expected));", "")
                        .foundBy(
                                "Nats215ServerIT#aSecondAcquireIsRefusedAndTheHolderShows",
                                "Nats215ServerIT#aStaleBasisIsRefused"),
                bug("release-of-whatever-is-there", "A release that comes late frees a later term.")
                        .edit(
                                "Wire.java",
                                "Headers headers = headers(expected, lifetime); headers.put(Entry.OPERATION, Entry.RELEASED);",
                                "Headers headers = headers(expected, lifetime); headers.remove(Entry.EXPECTED);"
                                        + " headers.put(Entry.OPERATION, Entry.RELEASED);")
                        .foundBy("Nats215ServerIT#aLateReleaseNeverFreesALaterTerm"),
                bug("acquire-on-a-deletion", "A key is acquired on a deletion, whose expiry may erase the acquire.")
                        .edit(
                                "NatsElectionStore.java",
                                "at.isDeleted() && bucket.tellsOfExpiry() ?",
                                "at.isDeleted() && !bucket.tellsOfExpiry() ?")
                        .foundBy("NatsStoreServerIT#nothingIsAcquiredOnADeletionThatMayBeReplaced"),
                bug(
                                "any-bucket-of-that-name",
                                "A bucket that was there beside the known one is taken for its successor.")
                        .edit("KnownBucket.java", "requireSuccessor(former, bucket, server.cluster());", "")
                        .foundBy(
                                "NatsTwoBucketsServerIT#aServerWithABucketThatWasThereBesideTheFirstIsNotUsed",
                                "NatsTwoBucketsServerIT#aLeafNodeWithADomainOfItsOwnHasAnotherBucket"),
                bug(
                                "successor-in-any-cluster",
                                "A bucket that was made later in another cluster is taken for a successor.")
                        .edit("KnownBucket.java", "|| !cluster.equals(former.cluster);", "|| cluster.isBlank();")
                        .foundBy("KnownBucketTest#norIsOneOfAnotherClusterHoweverNew"),
                bug("records-of-any-bucket", "A record is read whatever bucket it was written for.")
                        .edit(
                                "Wire.java",
                                "if (session != null && entry.isOfAnother(session.bucket())) {",
                                "if (session == null && entry.isMarker()) {")
                        .foundBy("NatsTwoBucketsServerIT#aRecordThatNamesAnotherBucketIsNobodysTerm"),
                bug("first-address-only", "Of a name with several addresses only the first is tried.")
                        .edit("Dialer.java", ".limit(ADDRESSES_MAX)", ".limit(1)")
                        .foundBy("NatsAddressesServerIT#aServerThatSaysNothingIsLeftForTheNextAddressOfItsName"),
                bug("grant-beyond-the-key", "A leader counts on the lease it asked for, though its key lives shorter.")
                        .edit(
                                "Bucket.java",
                                "return sure.isNegative() ? Duration.ZERO : sure.compareTo(lease) < 0 ? sure : lease;",
                                "return lease;")
                        .foundBy("NatsBucketChangesServerIT#aTimeToLiveThatIsMadeShorterIsCountedOnNoLonger"),
                bug("whole-bucket-for-a-prefix", "A look at one service is sent all that happens in the bucket.")
                        .edit(
                                "Keys.java",
                                "return (start.endsWith(\".\") ? start : start + '.') + '>';",
                                "return \">\";")
                        .foundBy(
                                "NatsPrefixServerIT#aWatchOfAServiceIsSentNothingOfElsewhere",
                                "NatsPrefixServerIT#aListingOfAServiceIsSentNothingOfElsewhere"),
                bug(
                                "erase-by-a-purge-alone",
                                "An erase excludes no acquire that three servers handle at the same time.")
                        .edit(
                                "NatsElectionStore.java",
                                "return mark(op, at.revision())",
                                "return CompletableFuture.<WriteOutcome>completedStage(WriteOutcome.written(basis))")
                        .foundBy("NatsCluster215ServerIT#anEraseRacingAnAcquireExcludesIt"),
                bug("narrow-for-ever", "A watch of elections never tells of a name with dots.")
                        .edit("NatsElectionStore.java", "if (keys.widens(path)) {", "if (path.isEmpty()) {")
                        .foundBy("NatsPrefixServerIT#aWatchOfElectionsTellsOfNamesWithDotsOnceTheyAreUsed"),
                bug("secret-read-once", "A password, token or key that was changed is never read again.")
                        .edit(
                                "Dialer.java",
                                "Login login = settings.login().forLogin();",
                                "Login login = settings.login().current();")
                        .edit(
                                "Dialer.java",
                                "isRejected && settings.login().rejected(login)",
                                "isRejected && login.isNobody()")
                        .foundBy(
                                "NatsRotationServerIT#aTermOutlivesRotatedPasswords",
                                "NatsRotationServerIT#aTermOutlivesItsCredentials"));
    }
}
