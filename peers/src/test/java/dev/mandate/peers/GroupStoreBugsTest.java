package dev.mandate.peers;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made around register and orders, which have planted bugs of their own. */
class GroupStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug("second-process-votes-on", "A process goes on voting though another one is the same member.")
                        .edit(
                                "runtime/NodeListener.java",
                                "case SELF_TAKEN -> !up.contains(peer.id());",
                                "case SELF_TAKEN -> false;")
                        .foundBy("runtime.TwoProcessesIT#theSecondStopsAndTheFirstGoesOn"),
                bug("other-list-ignored", "Members with different lists go on voting.")
                        .edit(
                                "runtime/NodeListener.java",
                                "case LIST_DIFFERS, TERMS_DIFFER -> peer.isMember();",
                                "case LIST_DIFFERS, TERMS_DIFFER -> false;")
                        .foundBy(
                                "store.GroupTroubleIT#listsThatDifferStopTheVotes",
                                "store.GroupTroubleIT#quarantinesThatDifferStopTheVotes"),
                bug("every-write-renews", "A proclaim counts as a renewal.")
                        .edit("store/GroupStore.java", "written.renews() && now", "now")
                        .foundBy("store.GroupOfOneIT#aGrantComesWithWhatRenews"),
                bug("confirmed-before-written", "A ceiling counts as written when its write begins.")
                        .edit(
                                "runtime/Disk.java",
                                "try { directory.save(persist.state(), list); node.accept(new"
                                        + " NodeEvent.Persisted(persist.sequence()));",
                                "try { node.accept(new NodeEvent.Persisted(persist.sequence()));"
                                        + " directory.save(persist.state(), list);")
                        .foundBy("runtime.DiskTest#whatCannotBeWrittenIsSaidAndTheNextIsTried"));
    }
}
