package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes of followers of a service. */
final class ServiceBugs {
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String DUTIES = "engine/Duties.java";
    private static final String COMMANDS = "engine/Commands.java";
    private static final String FOLLOWING = "engine/FollowingMachine.java";

    private ServiceBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "gap-blanks-the-list",
                                "Whoever may have missed something forgets all instances until it has listed them.")
                        .of("clients that clear their cache when a watch is opened again")
                        .edit(
                                FOLLOWING,
                                "hints.heard(); explainedNanos = nowNanos;",
                                "hints.heard(); records.all().forEach(each -> records.change(each, null)); "
                                        + "explainedNanos = nowNanos;")
                        .in(Aim.SERVICES)
                        .foundBy(Invariant.BLANK, Invariant.INSTANCES),
                bug("a-hint-is-the-whole", "The first change that a watch tells of is taken for all there is.")
                        .of("caches that are ready with their first event")
                        .edit(
                                FOLLOWING,
                                "hintedVacant(seen, known); } } return settle();",
                                "hintedVacant(seen, known); } if (!isKnown()) { "
                                        + "confirm(listing.beganNanos()); } } return settle();")
                        .in(Aim.SERVICES)
                        .foundBy(Invariant.CHANGES, Invariant.INSTANCES),
                bug(
                                "the-observers-lease",
                                "Whether an instance is dead is judged by the lease of whoever looks, not by its own.")
                        .of("observers with settings of their own, as in client-go's election")
                        .edit(
                                "engine/Followed.java",
                                "leaseNanos = stated > 0 ? stated : ownLeaseNanos;",
                                "leaseNanos = ownLeaseNanos;")
                        .in(Aim.SERVICES)
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.INSTANCES, Invariant.BLANK),
                bug(
                                "part-of-a-listing-is-the-whole",
                                "What the first pages did not show is gone, though the last one never came.")
                        .of("listings whose loop ends at the first error")
                        .edit(
                                FOLLOWING,
                                "if (fault == null) { listing.failed(nowNanos);",
                                "if (fault == null) { if (isKnown()) { complete(); } listing.failed(nowNanos);")
                        .in(Aim.SERVICES)
                        .foundBy(Invariant.INSTANCES, Invariant.BLANK),
                bug(
                                "the-dead-live-while-they-are-listed",
                                "Where nobody removes records, an instance is there as long as its record.")
                        .edit("engine/Followed.java", "isSilent |= askedNanos - sinceNanos >= deadAfterNanos;", "")
                        .in(Aim.SERVICES)
                        .in(StoreKind.JUDGES_RECORD)
                        .foundBy(Invariant.INSTANCES),
                bug("old-metadata-after-an-outage", "Who was away registers again with what it said when it began.")
                        .of("clients that keep the request of their first registration for when it is lost")
                        .edit(
                                COMMANDS,
                                "if (settings.registers()) {",
                                "if (settings.registers() && "
                                        + "state.key.space().equals(dev.mandate.spi.RecordKey.QUEUES)) {")
                        .in(Aim.SERVICES)
                        .foundBy(Invariant.INSTANCES),
                bug("a-closed-one-returns", "A registration that lands after it was closed is left to its lease.")
                        .of("clients that fire and forget their last request")
                        .edit(
                                TRANSITIONS,
                                "state.stray = state.isOurs(seen) ? (Observation.Held) seen : null;",
                                "state.stray = state.isOurs(seen) && (state.wanted.campaigns() || "
                                        + "!settings.registers()) ? (Observation.Held) seen : null;")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(10_000)
                        .foundBy(Invariant.INSTANCES),
                bug(
                                "a-stuck-one-ends-terms",
                                "A registration that cannot be released costs the session, and all that it keeps.")
                        .of("one lease for a leader and its metadata")
                        .edit(
                                DUTIES,
                                "state.isReleasedInVain() && session != null && !settings.registers()",
                                "state.isReleasedInVain() && session != null")
                        .in(Aim.SERVICES)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.REASON));
    }
}
