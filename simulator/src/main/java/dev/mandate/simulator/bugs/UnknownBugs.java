package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes about answers that did not come, refusals, and whose record it is. */
final class UnknownBugs {
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String ANSWERS = "engine/Answers.java";
    private static final String DOUBT = "if (state.role instanceof Role.Acquiring acquiring) { state.role = new "
            + "Role.Doubting(acquiring.attempt(), false); }";

    private static final String STRAY = "state.stray = state.isOurs(seen) ? (Observation.Held) seen : null;";

    private UnknownBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("unknown-acquire-is-a-win", "An acquire that was not answered is taken for a win.")
                        .of("fabric8io/kubernetes-client#7350, kubernetes/kubernetes#67651 (announced "
                                + "before the write won)")
                        .edit(
                                TRANSITIONS,
                                DOUBT,
                                "state.role = Role.Following.INSTANCE; Observation before = "
                                        + "sightings.latest(); if (before != null && state.attempt != null) { "
                                        + "won(state.attempt, Observation.held(state.key, before.basis(), "
                                        + "(dev.mandate.spi.Liveness) before.basis(), sightings.highestTerm() + 1, "
                                        + "dev.mandate.spi.LeaderRecord.proposal(settings.candidate(), "
                                        + "settings.incarnation(), state.attempt.id(), state.wanted.value(), "
                                        + "java.time.Duration.ofNanos(settings.timing().leaseNanos()), 0)), "
                                        + "state.nanos()); }")
                        .foundBy(Invariant.VALUE, Invariant.BELIEF, Invariant.TERMS, Invariant.EFFECTS),
                bug(
                                "unknown-acquire-is-a-loss",
                                "An acquire that was not answered is taken for a loss; when it lands it is a "
                                        + "stranger's.")
                        .of("nats-kv-leader-elect: every Create error means that someone else leads")
                        .edit(
                                TRANSITIONS,
                                DOUBT,
                                "state.role = Role.Following.INSTANCE; state.attempt = null; pace.doubted(state.nanos());")
                        .edit(TRANSITIONS, STRAY, "state.stray = null;")
                        .foundBy(Invariant.LEADER, Invariant.LEFTOVERS),
                bug("unknown-renewal-is-a-loss", "A renewal that was not answered ends the term.")
                        .of("Azure/azure-webjobs-sdk#2454 (one blip drops the lease); the Azure handle "
                                + "of madelson/DistributedLock")
                        .edit(
                                ANSWERS,
                                "case RENEW -> renewLater();",
                                "case RENEW -> { renewLater(); if (state.role instanceof Role.Leading "
                                        + "leading) { transitions.end(EndReason.DISPLACED, leading.held()); } }")
                        .foundBy(Invariant.REASON),
                bug(
                                "refused-renewal-that-landed-is-a-loss",
                                "A refused renewal ends the term, although the record shows that an earlier "
                                        + "one landed.")
                        .of("nats-kv-leader-elect: every Update error means that I lost")
                        .edit(
                                ANSWERS,
                                "if (seen != null) { transitions.proven(seen, asked.sent().monotonicNanos()); }",
                                "if (asked.kind() == Kind.RENEW && state.role instanceof Role.Leading) { "
                                        + "transitions.end(EndReason.DISPLACED, null); } else if (seen != null) { "
                                        + "transitions.proven(seen, asked.sent().monotonicNanos()); }")
                        .foundBy(Invariant.REASON),
                bug(
                                "refused-copy-kills-the-attempt",
                                "An acquire that was refused is dead, although the record shows that an "
                                        + "earlier copy of it landed.")
                        .of("clients behind something that sends again what was not answered")
                        .edit(
                                ANSWERS,
                                "if (asked.kind() == Kind.ACQUIRE && !mine) {",
                                "if (asked.kind() == Kind.ACQUIRE) {")
                        .foundBy(Invariant.RELEASE),
                bug(
                                "refusal-without-a-record-is-a-loss",
                                "An acquire that was refused without showing the record is dead, although an "
                                        + "earlier copy of it has won.")
                        .of("clients behind something that sends again what was not answered")
                        .edit(
                                ANSWERS,
                                "if (seen == null && !over && state.role instanceof Role.Acquiring acquiring) {",
                                "if (settings == null && state.role instanceof Role.Acquiring acquiring) {")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.JUDGES_SESSION)
                        .within(17_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "unlisted-is-gone",
                                "A record that a listing leaves out is taken for gone, though it changed "
                                        + "between two pages.")
                        .of("listings by position")
                        .edit(
                                ANSWERS,
                                "if (seen == null) { pace.lookSoon(state.nanos()); }",
                                "if (seen == null) { if (state.role instanceof Role.Leading) { "
                                        + "transitions.end(EndReason.VANISHED, null); } }")
                        .in(Aim.CROWDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.REASON),
                bug(
                                "stale-page-believed",
                                "A page of a listing that was asked for before the record was written proves "
                                        + "what it shows.")
                        .of("our own drafts")
                        .edit(
                                ANSWERS,
                                "boolean after = e.askedAtNanos() >= state.confirmedAtNanos;",
                                "boolean after = true;")
                        .in(StoreKind.REMOVES_SESSION)
                        .within(12_000)
                        .foundBy(Invariant.REASON, Invariant.VIEW),
                bug("record-matched-by-incarnation", "Any record of this client is taken for the live attempt's.")
                        .of("apache/curator#1211, #1169: an old session's node is mistaken for the own")
                        .edit(
                                TRANSITIONS,
                                "if (seen instanceof Observation.Held held && attempt != null && state.isMine(held)) {",
                                "if (seen instanceof Observation.Held held && attempt != null && "
                                        + "!held.isForeign() && "
                                        + "held.record().incarnation().equals(settings.incarnation())) {")
                        .edit(
                                "engine/Sightings.java",
                                "if (!held.isAttempt(live)) {",
                                "if (held.isForeign() || "
                                        + "!held.record().incarnation().equals(settings.incarnation())) {")
                        .in(Aim.PAUSED)
                        .foundBy(Invariant.ATTEMPT, Invariant.BELIEF, Invariant.EFFECTS),
                bug("record-matched-by-name", "Any record that carries the candidate's name is taken for the own.")
                        .of("client-go (identity), two processes with one configuration")
                        .edit(
                                TRANSITIONS,
                                "if (seen instanceof Observation.Held held && attempt != null && state.isMine(held)) {",
                                "if (seen instanceof Observation.Held held && attempt != null && "
                                        + "!held.isForeign() && "
                                        + "held.record().candidate().equals(settings.candidate())) {")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.ATTEMPT, Invariant.TERMS),
                bug("renewal-dies-silently", "After one renewal that was not answered there is no other.")
                        .of("etcd-io/jetcd#965, redisson/redisson#775, apache/iceberg PR 2034, "
                                + "cirello-io/dynamolock#14")
                        .edit(
                                ANSWERS,
                                "case RENEW -> renewLater();",
                                "case RENEW -> state.attempt.renewAtNanos = Long.MAX_VALUE;")
                        .edit(
                                "engine/SessionMachine.java",
                                "life.renewAtNanos = nanos() + pause;",
                                "life.renewAtNanos = Long.MAX_VALUE;")
                        .foundBy(Invariant.REASON),
                bug("retry-after-the-lease", "What was not answered is tried again a lease later.")
                        .of("NuGet/NuGet.Jobs PR 746 (renewal period = lease), patroni/patroni#837")
                        .edit(
                                "engine/Attempt.java",
                                "renewAtNanos = nowNanos + timing.renewalRetryNanos(renewalFailed);",
                                "renewAtNanos = nowNanos + timing.leaseNanos();")
                        .edit(
                                "engine/SessionMachine.java",
                                "life.renewAtNanos = nanos() + pause;",
                                "life.renewAtNanos = nanos() + timing(life).leaseNanos();")
                        .foundBy(Invariant.REASON),
                bug(
                                "stray-never-removed",
                                "A record that an older attempt of the client left behind is nobody's business.")
                        .of("etcd-io/etcd#21128, #22123, sorintlab/stolon PR 659 (own orphan blocks everybody)")
                        .edit(TRANSITIONS, STRAY, "state.stray = null;")
                        .in(Aim.HAUNTED)
                        .foundBy(Invariant.LEADER, Invariant.LEFTOVERS),
                bug("refusal-believed-to-be-mine", "A refusal that shows somebody else does not end the term.")
                        .of("apache/samza PR 259 (a failed release leaves isLeader true)")
                        .edit(
                                TRANSITIONS,
                                "if (state.role instanceof Role.Leading) { end(seen instanceof Observation.Vacant",
                                "if (state.role instanceof Role.Leading) { return; } if (state.role "
                                        + "instanceof Role.Leading) { end(seen instanceof Observation.Vacant")
                        .foundBy(Invariant.DEADLINE));
    }
}
