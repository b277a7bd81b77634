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
                bug("grant-beyond-the-key", "A leader counts on the lease it asked for, though its key lives shorter.")
                        .edit(
                                "Bucket.java",
                                "return sure.isNegative() ? Duration.ZERO : sure.compareTo(lease) < 0 ? sure : lease;",
                                "return lease;")
                        .foundBy("NatsBucketChangesServerIT#aTimeToLiveThatIsMadeShorterIsCountedOnNoLonger"));
    }
}
