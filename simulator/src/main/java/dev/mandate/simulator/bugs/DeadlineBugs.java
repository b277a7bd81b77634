package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes about how long a term may be believed. */
final class DeadlineBugs {
    private static final String STEP = "engine/Step.java";
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String ANSWERS = "engine/Answers.java";
    private static final String WINDOW = "engine/LeaseWindow.java";
    private static final String SESSIONS = "engine/SessionMachine.java";

    private DeadlineBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "deadline-from-the-reply",
                                "The deadline counts from when the answer came, not from when the request was sent.")
                        .of("madelson/DistributedLock (the stopwatch restarts with the reply), client-go "
                                + "(time of the reply)")
                        .edit(
                                ANSWERS,
                                "LeaseWindow window = settings.timing().window(asked.sent(), grantedNanos);",
                                "LeaseWindow window = settings.timing().window(state.now, grantedNanos);")
                        .edit(
                                SESSIONS,
                                "LeaseWindow window = life.lease.timing().window(life.pendingSent, granted);",
                                "LeaseWindow window = life.lease.timing().window(now, granted);")
                        .in(Aim.CLOCK_SLOW)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "deadline-from-an-older-reply",
                                "The answer to an earlier renewal of the session is taken for the answer to "
                                        + "the newest.")
                        .of("etcd-io/etcd#21638, #19261 (a success that was buffered before the lease was revoked)")
                        .edit(SESSIONS, "if (life.pendingRequest == request) {", "if (life.pendingRequest >= 0) {")
                        .in(Aim.CLOCK_SLOW)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(6_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "stale-replies-accepted",
                                "Any answer is taken for the answer to the pending request of the election.")
                        .edit(
                                "engine/Outbox.java",
                                "if (asked == null || asked.request() != request) {",
                                "if (asked == null) {")
                        .foundBy(Invariant.REPLIES),
                bug("no-drift-margin", "The lease is believed in full: clocks are taken to run at one rate.")
                        .of("every recipe that compares seconds with seconds; ShedLock#231, #639")
                        .edit(
                                "engine/LeaseTiming.java",
                                "return (long) (lease / maxClockRatio) - deadlineMarginNanos;",
                                "return lease - deadlineMarginNanos;")
                        .in(Aim.CLOCK_BARE)
                        .within(200)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("belief-on-the-wall-clock", "The deadline is kept on the wall clock alone, which steps back.")
                        .of("ShedLock#231, #263, sofastack/sofa-jraft#24, jetcd's keep-alive")
                        .edit(WINDOW, "return Math.max(elapsed, wallNanos(now));", "return wallNanos(now);")
                        .within(6_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.DEADLINE),
                bug(
                                "suspended-clock-ignored",
                                "The deadline is kept on the monotonic clock alone, which stands still while "
                                        + "the machine sleeps.")
                        .of("every Java lease on nanoTime")
                        .edit(
                                WINDOW,
                                "return Math.max(elapsed, wallNanos(now));",
                                "return now.monotonicNanos() - sentNanos();")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "boot-clock-ignored",
                                "A suspension is measured by the wall clock, which was set back while the machine ran.")
                        .of("this project, until a wall clock was set back before a suspension instead of during it")
                        .edit(
                                WINDOW,
                                "Math.max(now.monotonicNanos() - sentNanos(), suspensionNanos(now))",
                                "now.monotonicNanos() - sentNanos()")
                        .in(Aim.SUSPENDED)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("is-valid-by-flag", "isValid() answers from a flag that the machine clears, not from the clock.")
                        .of("client-go IsLeader(), Curator hasLeadership()")
                        .edit(
                                "engine/Term.java",
                                "return ended ? LeaseCell.Verdict.LATCHED : cell.check(clock);",
                                "return ended ? LeaseCell.Verdict.LATCHED : LeaseCell.Verdict.OPEN;")
                        .edit(
                                "engine/Term.java",
                                "return ended || cell.isLatched() ? 0 : cell.window().remainingNanos(now);",
                                "return ended ? 0 : 1;")
                        .foundBy(Invariant.BELIEF),
                bug(
                                "one-look-per-instant",
                                "Of two looks at clocks whose monotonic one has not moved, the second one "
                                        + "counts for nothing.")
                        .edit(
                                "engine/BootEstimate.java",
                                "if (beforeNanos - changedNanos < 0) {",
                                "if (beforeNanos - changedNanos <= 0) {")
                        .in(Aim.SUSPENDED)
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("latched-cell-extended", "A renewal that arrives after the end was seen brings the belief back.")
                        .of("etcd-io/etcd#14758 (OK for a revoked lease)")
                        .edit("engine/LeaseCell.java", "if (seen.isLatched()) { return false; }", "")
                        .edit(
                                STEP,
                                "leading.term().cell().latch(); transitions.end(EndReason.LEASE_RAN_OUT, "
                                        + "leading.held());",
                                "if (state.outbox.pending() == null) { leading.term().cell().latch(); "
                                        + "transitions.end(EndReason.LEASE_RAN_OUT, leading.held()); }")
                        .edit(
                                STEP,
                                "if (!cell.isOpenAt(state.now)) {",
                                "if (state.outbox.pending() == null && !cell.isOpenAt(state.now)) {")
                        .edit(
                                STEP,
                                "endWhatIsOver(); reportOverrun(); lookAt(event);",
                                "lookAt(event); endWhatIsOver();")
                        .in(Aim.SUSPENDED)
                        .in(StoreKind.REMOVES_RECORD)
                        .within(20_000)
                        .foundBy(Invariant.REVIVAL),
                bug(
                                "expiry-noticed-with-the-answer",
                                "The end of the lease is only noticed while no request is under way.")
                        .of("madelson/DistributedLock; hashicorp/consul#8736 (the monitor's read hangs, "
                                + "the holder believes for ever)")
                        .edit(
                                STEP,
                                "if (!cell.isOpenAt(state.now)) {",
                                "if (state.outbox.pending() == null && !cell.isOpenAt(state.now)) {")
                        .foundBy(Invariant.DEADLINE),
                bug(
                                "asked-lease-believed",
                                "The lease that was asked for is believed, not the shorter one that was granted.")
                        .of("whoever does not read the answer: stores round and bound what is asked")
                        .edit(
                                SESSIONS,
                                "LeaseWindow window = timing.window(openSent, granted);",
                                "LeaseWindow window = settings.timing().window(openSent, "
                                        + "settings.timing().leaseNanos());")
                        .edit(
                                SESSIONS,
                                "LeaseWindow window = life.lease.timing().window(life.pendingSent, granted);",
                                "LeaseWindow window = settings.timing().window(life.pendingSent, "
                                        + "settings.timing().leaseNanos());")
                        .in(Aim.CLOCK_BARE)
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "proclaim-counts-as-renewal",
                                "Publishing a value moves the deadline although the store renewed nothing.")
                        .edit(
                                ANSWERS,
                                ": outcome.granted().map(LeaseTiming::boundedNanos).orElse(0L);",
                                ": "
                                        + "outcome.granted().map(LeaseTiming::boundedNanos).orElse(settings.timing().leaseNanos());")
                        .in(Aim.CLOCK_BARE)
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "seeing-the-record-counts-as-renewal",
                                "A read, or a refusal, that shows the own record moves the deadline.")
                        .of("Azure Blob: a lease that has expired can look alive, and can be renewed")
                        .edit(
                                TRANSITIONS,
                                "state.role = leading.with(held);",
                                "state.role = leading.with(held); if (!settings.sharesSession()) { "
                                        + "LeaseWindow longer = settings.timing().window(new Now(askedAtNanos, "
                                        + "state.now.bootNanos(), state.now.wallMillis()), "
                                        + "settings.timing().leaseNanos()); attempt.granted(longer, "
                                        + "attempt.renewAtNanos); leading.term().cell().extend(longer); }")
                        .in(Aim.CLOCK_SLOW)
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS));
    }
}
