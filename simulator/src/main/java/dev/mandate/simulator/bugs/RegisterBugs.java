package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes in a group's register: majorities, promises, comparisons, restarts and deadlines. */
final class RegisterBugs {
    private static final String BALLOT = "peers/register/Ballot.java";
    private static final String JOINING = "peers/register/Joining.java";
    private static final String PROPOSAL = "peers/register/Proposal.java";
    private static final String TABLE = "peers/register/KeyTable.java";
    private static final String VOTER = "peers/register/Voter.java";
    private static final String PAXOS = "every implementation of Paxos, once";

    private RegisterBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("majority-off-by-one", "Half of an even group, or less than half of an odd one, is a majority.")
                        .of(PAXOS)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit("peers/register/Group.java", "return voters / 2 + 1;", "return Math.max(1, voters / 2);")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug("voter-counted-twice", "A voter that answers an ACCEPT twice counts twice.")
                        .of(PAXOS)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(BALLOT, "accepted |= 1 << voter;", "accepted = accepted << 1 | 1;")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug("promise-forgotten", "A voter accepts in any epoch, whatever it promised.")
                        .of(PAXOS)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(TABLE, "return epoch.counter() > promised(key);", "return true;")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug("basis-ignored", "A write replaces whatever stands, not only what it is based on.")
                        .of("registers without a comparison: the last writer wins")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(
                                PROPOSAL,
                                "if (currentWrite.equals(wanted.basis())) {",
                                "if (currentWrite.counter() >= 0) {")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.EFFECTS),
                bug("first-promise-instead-of-highest", "A proposer goes on with the first value that a promise shows.")
                        .of(PAXOS)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(
                                BALLOT,
                                "if (vote != null && (highest == null || "
                                        + "vote.epoch().compareTo(highest.epoch()) > 0)) {",
                                "if (vote != null && highest == null) {")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.EFFECTS),
                bug("unchosen-value-read", "A read shows what a single voter accepted.")
                        .of(PAXOS)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit("peers/register/ReadAnswers.java", "return same >= group.majority();", "return same > 0;")
                        .foundBy(Invariant.REGISTER, Invariant.BELIEF),
                bug("ceiling-not-kept", "After a start a voter promises below its ceiling.")
                        .of("this project's models, without a ceiling")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(VOTER, "table.promiseBelow(durable.ceiling());", "table.promiseBelow(1);")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug("persisted-late", "A promise is answered before the ceiling above it is on the disk.")
                        .of("etcd-io/etcd#13766 (what was confirmed is lost when the process is killed)")
                        .within(6_000)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(VOTER, "if (counter >= durable.ceiling()) {", "if (counter >= asked.ceiling()) {")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug("ceiling-not-learnt", "A voter that lost its file does not take over the ceilings of the others.")
                        .of("voters that come back with an empty disk and vote")
                        .within(6_000)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(JOINING, "answers().mapToLong(Message.Welcome::height).max().orElse(0));", "0);")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                // Two rules prevent this harm; in all that worlds can bring about, each alone suffices.
                bug(
                                "start-id-not-compared",
                                "A promise counts although its voter has lost its file since, in an epoch as "
                                        + "old as its call.")
                        .of("this project's models, without start ids")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(BALLOT, "if (promise != null && !isVoid(voter, promise)) {", "if (promise != null) {")
                        .edit(
                                PROPOSAL,
                                "roundUntilNanos = now.nanos() + settings.roundNanos();",
                                "roundUntilNanos = settings.deadlineNanos();")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.TERMS, Invariant.EFFECTS),
                bug(
                                "accept-after-the-deadline",
                                "A process that was stopped sends an ACCEPT when its call is long over.")
                        .of("clients that time out, and go on")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(PROPOSAL, "return now.nanos() - settings.deadlineNanos() >= 0;", "return false;")
                        .edit(
                                "peers/node/Node.java",
                                "message instanceof Message.Accept ? untilNanos : Long.MAX_VALUE",
                                "Long.MAX_VALUE")
                        .foundBy(Invariant.REGISTER),
                bug(
                                "quarantine-missing",
                                "A voter votes as soon as it starts, though it forgot whom it granted a lease.")
                        .of("Redlock without delayed restarts")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(
                                VOTER,
                                "this.quarantineEndsNanos = nowNanos + longestNanos;",
                                "this.quarantineEndsNanos = nowNanos;")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.EFFECTS),
                bug("quarantine-halved", "A voter is silent for half a lease after it started.")
                        .of("our own drafts")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(
                                VOTER,
                                "this.quarantineEndsNanos = nowNanos + longestNanos;",
                                "this.quarantineEndsNanos = nowNanos + longestNanos / 2;")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.EFFECTS),
                bug("lease-above-the-quarantine", "A voter grants a lease that is longer than its quarantine.")
                        .of("our own drafts")
                        .within(6_000)
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.PLOTS)
                        .edit(
                                VOTER,
                                "if (record != null && isTooLong(record)) {",
                                "if (record != null && record.lease().isZero()) {")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("value-forgotten-early", "A voter forgets a value after half a quarantine.")
                        .of("our own drafts")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(
                                TABLE,
                                "? 2 * quarantineNanos : quarantineNanos;",
                                "? quarantineNanos / 2 : quarantineNanos / 2;")
                        .foundBy(Invariant.BELIEF, Invariant.REGISTER, Invariant.EFFECTS));
    }
}
