package dev.mandate.consul;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made on Consul. */
class ConsulStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug("release-of-whatever-is-there", "A release that comes late frees a later term of the same session.")
                        .edit(
                                "Records.java",
                                "Txn txn = new Txn().expect(path, index).unlock(path, session);",
                                "Txn txn = new Txn().unlock(path, session);")
                        .foundBy("ConsulServerIT#aLateReleaseNeverFreesALaterTerm"),
                bug("lock-of-whatever-is-there", "An acquire or update does not say on which index it rests.")
                        .edit(
                                "Records.java",
                                "Txn txn = new Txn().expect(path, index); if (!isRaw)",
                                "Txn txn = new Txn(); if (!isRaw)")
                        .foundBy("ConsulServerIT#aStaleBasisIsRefused"),
                bug("keys-of-old-versions", "Names stand in keys with characters that not every version takes.")
                        .edit(
                                "ConsulUrl.java",
                                ".withEscape(ESCAPE, PLAIN_CHARACTERS) .withDotsBetween() .withBeside(BESIDE)",
                                "")
                        .foundBy("ConsulKeysServerIT#everyNameHasAKeyThatAllVersionsTake"),
                bug("key-refused-for-now", "A key that is never taken is asked for again and again.")
                        .edit("Fault.java", "if (!isPage && isAboutTheKey(text)) {", "if (text.isEmpty()) {")
                        .foundBy("ConsulKeysServerIT#aKeyThatIsNotTakenIsAFaultOfTheSetup"),
                bug("token-read-once", "A token that was changed is never read again.")
                        .edit(
                                "ConsulHttp.java",
                                "() -> secret.rejectedAside(token)",
                                "() -> CompletableFuture.completedFuture(false)")
                        .foundBy("ConsulAclServerIT#aTermOutlivesRotatedTokens"),
                bug("short-lease-passes", "A lease that the servers never grant is asked for again and again.")
                        .edit("SessionRequest.java", "if (isTtl) {", "if (isTtl && text.isEmpty()) {")
                        .foundBy("ConsulTtlMinServerIT#aLeaseBelowTheServersLeastIsAFaultOfTheSetup"),
                bug("neighbours-are-told", "A watch of web tells of webapp, whose key begins the same.")
                        .edit("PrefixQuery.java", "found.isEmpty() || !found.get().isBelow(prefix)", "found.isEmpty()")
                        .edit(
                                "PrefixWatches.java",
                                "seen.observation().key().isBelow(watch.prefix)",
                                "seen.observation().key().path().startsWith(watch.prefix.path())")
                        .foundBy("ConsulServerIT#aWatchTellsNothingOfNeighbours"));
    }
}
