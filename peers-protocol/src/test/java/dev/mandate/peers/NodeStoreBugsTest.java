package dev.mandate.peers;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made around a node's calls; register and orders have planted bugs of their own. */
class NodeStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug("late-accept", "What may choose a value leaves after a suspension.")
                        .edit(
                                "node/Node.java",
                                "message instanceof Message.Accept ? untilNanos : Long.MAX_VALUE",
                                "Long.MAX_VALUE")
                        .foundBy("node.NodeTest#onlyWhatMayChooseAValueMustNotBeLate"),
                bug(
                                "votes-in-disagreement",
                                "A voter promises and accepts though its members disagree about their group.")
                        .edit(
                                "node/Node.java",
                                "(disagreement == null || message instanceof Message.AskStatus)",
                                "(disagreement == null || message != null)")
                        .foundBy("node.NodeTest#whoSeesAnotherListNeitherVotesNorCalls"),
                bug(
                                "answers-in-disagreement",
                                "An answer that waited for the disk leaves though members disagree by now.")
                        .edit(
                                "node/Node.java",
                                "disagreement == null || message instanceof Message.Welcome",
                                "disagreement == null || message != null")
                        .foundBy("node.NodeTest#whatWaitedForTheDiskIsNotSentOnceMembersDisagree"),
                bug("page-unread", "A listing shows what some voter accepted, chosen or not.")
                        .edit("node/PageOfKeys.java", "same >= group.majority() && same == votes.size()", "same >= 1")
                        .foundBy("node.NodeTest#whereVotersDifferTheKeyIsRead"));
    }
}
