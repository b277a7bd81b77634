package dev.mandate.etcd;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made on etcd. */
class EtcdStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug("quorum-of-one", "A renewal counts although one member alone stands behind it.")
                        .edit("EtcdSession.java", "layout.look(true), call)", "layout.look(false), call)")
                        .foundBy("EtcdStaleLeader34ServerIT#aStaleLeaderOfTheClusterConfirmsNoRenewal"),
                bug("terms-not-compared", "A renewal counts although its term is not that of the quorum.")
                        .edit("EtcdSession.java", "if (term != quorum.getHeader().getRaftTerm())", "if (term < 0)")
                        .foundBy("EtcdSessionTest#anAnswerOfAnotherTermThanTheQuorumsIsUnknown"),
                bug("watch-stays-behind", "A watch stays with a member that calls have left.")
                        .edit("Endpoints.java", "left.accept(member);", "")
                        .foundBy("EtcdStaleLeader35ServerIT#aStaleLeaderOfTheClusterConfirmsNoRenewal"),
                bug("cold-tokens", "Only the member of the moment is shown its token.")
                        .edit("EtcdSession.java", "connection.keepTokensWarm(layout.look(false), call);", "")
                        .foundBy("EtcdAuthClusterServerIT#everyRenewalKeepsTheTokensOfAllMembers"),
                bug("version-not-asked", "A cluster is used although it ends live leases.")
                        .edit("ClusterCheck.java", "answer.voters() > 1", "answer.voters() > 9")
                        .foundBy("EtcdCluster34ServerIT#aClusterThatEndsLiveLeasesIsRefusedUnlessThatIsAccepted"),
                bug(
                                "members-not-told",
                                "A cluster that must be refused is used where nobody tells how many members it has.")
                        .edit(
                                "ClusterCheck.java",
                                ": voters(member, call)",
                                ": voters(connection.members().get(0), call)")
                        .edit("ClusterCheck.java", "answer.voters() == 0", "answer.voters() < 0")
                        .foundBy("EtcdCluster34ServerIT#aClusterIsRefusedThoughTheMemberOfTheMomentIsDown"),
                bug("acquire-overwrites", "An acquire does not ask whether the key is there.")
                        .edit("Layout.java", ".addCompare(vacant)", "")
                        .foundBy("Etcd35ServerIT#aSecondAcquireIsRefusedAndTheHolderShows"),
                bug("release-of-whatever-is-there", "A release that comes late frees a later term.")
                        .edit(
                                "Layout.java",
                                ".addAllCompare(unchanged(main(key), at)) .addSuccess(delete(main(key)))",
                                ".addSuccess(delete(main(key)))")
                        .foundBy("Etcd35ServerIT#aLateReleaseNeverFreesALaterTerm"),
                bug("update-detaches-the-lease", "An update names no lease, so nothing ends the key.")
                        .edit(
                                "Layout.java",
                                ".addAllSuccess(puts(key, record, at.lease()))",
                                ".addAllSuccess(puts(key, record, 0))")
                        .foundBy("EtcdStore35ServerIT#everyUpdateKeepsTheLeaseAttached"),
                bug("password-read-once", "A password that was changed is never read again.")
                        .edit("AuthToken.java", "supplyAsync(password::forLogin,", "supplyAsync(password::current,")
                        .edit(
                                "AuthToken.java",
                                "isRejected && password.rejected(first)",
                                "isRejected && first.isEmpty()")
                        .foundBy("EtcdRotationServerIT#aTermOutlivesRotatedPasswords"),
                bug(
                                "password-read-where-answers-arrive",
                                "A password file that hangs holds up the answers of all members.")
                        .edit(
                                "AuthToken.java",
                                "CompletableFuture.supplyAsync(password::forLogin, AuthToken::apart)",
                                "CompletableFuture.supplyAsync(password::forLogin, worker)")
                        .foundBy("EtcdAuthClusterServerIT#aPasswordFileThatHangsHoldsUpOnlyWhoNeedsIt"));
    }
}
