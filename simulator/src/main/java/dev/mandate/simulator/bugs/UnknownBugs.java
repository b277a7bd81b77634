package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes about answers that did not come, refusals, and whose record it is. */
final class UnknownBugs {
    private static final String MACHINE = "engine/ElectionMachine.java";
    private static final String MEMORY = "engine/ElectionMemory.java";
    private static final String DOUBT =
            "role = role instanceof Role.Acquiring acquiring ? new Role.Doubting(acquiring.attempt(), false) : role;";

    private static final String STRAY = "stray = isOurs(seen) ? (Observation.Held) seen : null;";

    private UnknownBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("unknown-acquire-is-a-win", "An acquire that was not answered is taken for a win.")
                        .of(
                                "fabric8io/kubernetes-client#7350, kubernetes/kubernetes#67651 (announced before the write won)")
                        .edit(
                                MEMORY,
                                DOUBT,
                                "role = Role.Following.INSTANCE; Observation before = sightings.latest(); if (before != null && live != null) {"
                                        + " won(Observation.held(key, before.basis(), (dev.mandate.spi.Liveness) before.basis(),"
                                        + " sightings.highestTerm() + 1, dev.mandate.spi.LeaderRecord.proposal(settings.candidate(),"
                                        + " settings.incarnation(), live, value, java.time.Duration.ofNanos(settings.timing().leaseNanos()), 0)),"
                                        + " nanos()); }")
                        .foundBy(Invariant.VALUE, Invariant.BELIEF, Invariant.TERMS, Invariant.EFFECTS),
                bug(
                                "unknown-acquire-is-a-loss",
                                "An acquire that was not answered is taken for a loss; when it lands it is a stranger's.")
                        .of("nats-kv-leader-elect: every Create error means that someone else leads")
                        .edit(MEMORY, DOUBT, "role = Role.Following.INSTANCE; live = null; pace.doubted(nanos());")
                        .edit(MEMORY, STRAY, "stray = null;")
                        .foundBy(Invariant.LEADER, Invariant.LEFTOVERS),
                bug("unknown-renewal-is-a-loss", "A renewal that was not answered ends the term.")
                        .of(
                                "Azure/azure-webjobs-sdk#2454 (one blip drops the lease); the Azure handle of madelson/DistributedLock")
                        .edit(
                                MACHINE,
                                "case RENEW -> renewLater();",
                                "case RENEW -> { renewLater(); if (role instanceof Role.Leading leading) {"
                                        + " end(EndReason.DISPLACED, leading.held()); } }")
                        .foundBy(Invariant.REASON),
                bug(
                                "refused-renewal-that-landed-is-a-loss",
                                "A refused renewal ends the term, although the record shows that an earlier one landed.")
                        .of("nats-kv-leader-elect: every Update error means that I lost")
                        .edit(
                                MACHINE,
                                "if (seen != null) { proven(seen, asked.sent().monotonicNanos()); }",
                                "if (asked.kind() == Kind.RENEW && role instanceof Role.Leading) { end(EndReason.DISPLACED, null); } else if"
                                        + " (seen != null) { proven(seen, asked.sent().monotonicNanos()); }")
                        .foundBy(Invariant.REASON),
                bug(
                                "refused-copy-kills-the-attempt",
                                "An acquire that was refused is dead, although the record shows that an earlier copy of it landed.")
                        .of("clients behind something that sends again what was not answered")
                        .edit(
                                MACHINE,
                                "if (asked.kind() == Kind.ACQUIRE && !mine) {",
                                "if (asked.kind() == Kind.ACQUIRE) {")
                        .foundBy(Invariant.RELEASE),
                bug(
                                "refusal-without-a-record-is-a-loss",
                                "An acquire that was refused without showing the record is dead, although an earlier copy of it has won.")
                        .of("clients behind something that sends again what was not answered")
                        .edit(
                                MACHINE,
                                "if (seen == null && !over && role instanceof Role.Acquiring acquiring) {",
                                "if (settings == null && role instanceof Role.Acquiring acquiring) {")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.JUDGES_SESSION)
                        .within(17_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "unlisted-is-gone",
                                "A record that a listing leaves out is taken for gone, though it changed between two pages.")
                        .of("listings by position")
                        .edit(
                                MACHINE,
                                "if (seen == null) { pace.lookSoon(nanos()); }",
                                "if (seen == null) { if (role instanceof Role.Leading) { end(EndReason.VANISHED, null); } }")
                        .in(Aim.CROWDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.REASON),
                bug(
                                "stale-page-believed",
                                "A page of a listing that was asked for before the record was written proves what it shows.")
                        .of("our own drafts")
                        .edit(MACHINE, "boolean after = e.askedAtNanos() >= confirmedAtNanos;", "boolean after = true;")
                        .in(StoreKind.REMOVES_SESSION)
                        .within(12_000)
                        .foundBy(Invariant.REASON, Invariant.VIEW),
                bug("record-matched-by-incarnation", "Any record of this client is taken for the live attempt's.")
                        .of("apache/curator#1211, #1169: an old session's node is mistaken for the own")
                        .edit(
                                MEMORY,
                                "if (seen instanceof Observation.Held held && held.isAttempt(live)) {",
                                "if (seen instanceof Observation.Held held && !held.isForeign() && held.record().incarnation()"
                                        + ".equals(settings.incarnation())) {")
                        .edit(
                                "engine/Sightings.java",
                                "if (!held.isAttempt(live)) {",
                                "if (held.isForeign() || !held.record().incarnation().equals(settings.incarnation())) {")
                        .in(Aim.PAUSED)
                        .foundBy(Invariant.ATTEMPT, Invariant.BELIEF, Invariant.EFFECTS),
                bug("record-matched-by-name", "Any record that carries the candidate's name is taken for the own.")
                        .of("client-go (identity), two processes with one configuration")
                        .edit(
                                MEMORY,
                                "if (seen instanceof Observation.Held held && held.isAttempt(live)) {",
                                "if (seen instanceof Observation.Held held && !held.isForeign() && held.record().candidate()"
                                        + ".equals(settings.candidate())) {")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.ATTEMPT, Invariant.TERMS),
                bug("renewal-dies-silently", "After one renewal that was not answered there is no other.")
                        .of(
                                "etcd-io/jetcd#965, redisson/redisson#775, apache/iceberg PR 2034, cirello-io/dynamolock#14")
                        .edit(MACHINE, "case RENEW -> renewLater();", "case RENEW -> renewAtNanos = Long.MAX_VALUE;")
                        .edit(
                                "engine/SessionMachine.java",
                                "life.renewAtNanos = nanos() + pause;",
                                "life.renewAtNanos = Long.MAX_VALUE;")
                        .foundBy(Invariant.REASON),
                bug("retry-after-the-lease", "What was not answered is tried again a lease later.")
                        .of("NuGet/NuGet.Jobs PR 746 (renewal period = lease), patroni/patroni#837")
                        .edit(
                                "engine/ElectionMemory.java",
                                "renewAtNanos = nanos() + pause;",
                                "renewAtNanos = nanos() + settings.timing().leaseNanos();")
                        .edit(
                                "engine/SessionMachine.java",
                                "life.renewAtNanos = nanos() + pause;",
                                "life.renewAtNanos = nanos() + timing(life).leaseNanos();")
                        .foundBy(Invariant.REASON),
                bug(
                                "stray-never-removed",
                                "A record that an older attempt of the client left behind is nobody's business.")
                        .of("etcd-io/etcd#21128, #22123, sorintlab/stolon PR 659 (own orphan blocks everybody)")
                        .edit(MEMORY, STRAY, "stray = null;")
                        .in(Aim.HAUNTED)
                        .foundBy(Invariant.LEADER, Invariant.LEFTOVERS),
                bug("refusal-believed-to-be-mine", "A refusal that shows somebody else does not end the term.")
                        .of("apache/samza PR 259 (a failed release leaves isLeader true)")
                        .edit(
                                MEMORY,
                                "if (role instanceof Role.Leading) { end(seen instanceof Observation.Vacant",
                                "if (role instanceof Role.Leading) { return; } if (role instanceof Role.Leading) { end(seen instanceof"
                                        + " Observation.Vacant")
                        .foundBy(Invariant.DEADLINE));
    }
}
