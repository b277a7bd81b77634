package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes about the end of a term: work, release, overrun, withdrawal. */
final class StoppingBugs {
    private static final String STEP = "engine/Step.java";
    private static final String DUTIES = "engine/Duties.java";
    private static final String COMMANDS = "engine/Commands.java";
    private static final String STATE = "engine/ElectionState.java";
    private static final String SESSIONS = "engine/SessionMachine.java";
    private static final String WORK = "engine/Work.java";

    private StoppingBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "released-before-the-work-stopped",
                                "The record is released at once, while the work is still being stopped.")
                        .of("kubernetes/kubernetes PR 71490, awslabs/amazon-dynamodb-lock-client PR 116")
                        .edit(WORK, "return running == null || overrun && nowNanos >= releaseAtNanos;", "return true;")
                        .foundBy(Invariant.RELEASE, Invariant.EFFECTS),
                bug(
                                "overrun-not-held",
                                "Work that outlives its budget loses its cover at once, not after another lease.")
                        .of("cilium/cilium#42920 (stop hooks ran past the limit, duplicate pod CIDRs)")
                        .edit(
                                WORK,
                                "Long.MAX_VALUE : now.monotonicNanos() + settings.timing().leaseNanos();",
                                "Long.MAX_VALUE : now.monotonicNanos();")
                        .foundBy(Invariant.RELEASE),
                bug("hold-does-not-hold", "With onOverrun=hold the record is released all the same.")
                        .edit(
                                WORK,
                                "settings.overrun() == OverrunPolicy.HOLD ? Long.MAX_VALUE : now.monotonicNanos()",
                                "now.monotonicNanos()")
                        .foundBy(Invariant.RELEASE),
                bug("overrun-released-by-close", "close() ends the session although work still runs under it.")
                        .of("kubernetes/kubernetes PR 139504 (released before the guarded work stopped)")
                        .edit(SESSIONS, "lives.stream().allMatch(l -> l.lease.isCovering());", "lives.isEmpty();")
                        .edit(
                                SESSIONS,
                                "|| nanos() < dueAtNanos(life) || closing && covering) { return; }",
                                "|| nanos() < (closing && !life.ending ? Long.MIN_VALUE : dueAtNanos(life))) "
                                        + "{ return; }")
                        .edit(
                                SESSIONS,
                                "life.ending = life.latched && !covering;",
                                "life.ending = life.latched && (!covering || closing);")
                        .in(StoreKind.REMOVES_SESSION)
                        .within(6_000)
                        .foundBy(Invariant.RELEASE),
                bug(
                                "ended-before-it-was-told",
                                "A session whose stop has passed is ended before the elections hear of it.")
                        .of("our own drafts")
                        .edit("engine/CandidateMachine.java", "do { passOnNews(now, out);", "do {")
                        .edit(
                                "engine/CandidateMachine.java",
                                "sessions.proceed(now, out); } while",
                                "sessions.proceed(now, out); passOnNews(now, out); } while")
                        .foundBy(Invariant.RELEASE, Invariant.EFFECTS),
                bug("acquires-while-work-runs", "A candidate stands again while work of its earlier term runs.")
                        .of("kubernetes/kubernetes#44887, cilium/cilium#42920 (the work outlives the lease)")
                        .edit(
                                DUTIES,
                                "return wanted.campaigns() && !work.isRunning() && state.nanos()",
                                "return wanted.campaigns() && state.nanos()")
                        .foundBy(Invariant.ATTEMPT),
                bug("withdraw-says-nothing", "Withdrawing stops the renewal, but the end of the term is not announced.")
                        .of("nats-kv-leader-elect (the state is reset before it is asked, so that no loss is told)")
                        .edit(
                                COMMANDS,
                                "wanted.withdraw(); if (state.role instanceof Role.Leading leading) { "
                                        + "transitions.end(reason, leading.held()); }",
                                "wanted.withdraw(); if (state.role instanceof Role.Leading leading) { "
                                        + "transitions.stopWithoutTerm(reason, leading.held()); }")
                        .foundBy(Invariant.DEADLINE),
                bug("withdrawn-while-work-runs", "Withdrawn is announced before the work has stopped.")
                        .of("client-go: Run does not wait for OnStartedLeading to return")
                        .edit(STATE, "return !work.isRunning() && stray == null &&", "return stray == null &&")
                        .in(Aim.HAUNTED)
                        .foundBy(Invariant.CALLBACKS),
                bug("withdraw-leaves-the-record", "Whoever withdraws leaves its record to the session, which lives on.")
                        .of("etcd-io/etcd#11777, #22123 (an orphan after a resignation blocks everybody)")
                        .edit(
                                DUTIES,
                                "{ release(held); }",
                                "{ if (wanted.campaigns()) { release(held); } else { transitions.stopped(); } }")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.JUDGES_SESSION)
                        .within(6_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "haunted-session-not-watched",
                                "After an acquire that was not answered nobody watches for it once the "
                                        + "client has withdrawn.")
                        .of("etcd-io/etcd#21128 (an orphan after a failed campaign)")
                        .edit(
                                "engine/LateAcquires.java",
                                "if (under != null && !under.isOver()) {",
                                "if (under != null && under.isOver()) {")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "haunting-forgotten-at-withdraw",
                                "Withdrawing forgets that an acquire may yet land under the living session.")
                        .of("apache/curator#524 (node re-created after close)")
                        .edit(
                                COMMANDS,
                                "wanted.withdraw(); if",
                                "wanted.withdraw(); state.lateAcquires = LateAcquires.NONE; if")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(6_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "copy-of-a-seen-attempt-not-awaited",
                                "An attempt that was seen is taken to be settled although a second copy of "
                                        + "its request may yet land.")
                        .of("clients behind something that sends again what was not answered")
                        .edit(
                                "engine/LateAcquires.java",
                                "boolean last = askedAtNanos - attempt.copiesUntilNanos() >= 0;",
                                "boolean last = true;")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(18_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER),
                bug(
                                "session-end-not-told-to-one-election",
                                "Of several elections under one session only the first hears of its end.")
                        .of("etcd's concurrency package: an elected Election never learns that its session ended")
                        .edit(
                                "engine/CandidateMachine.java",
                                "deliver(election, item, now, out);",
                                "deliver(election, item, now, out); if (!(item instanceof "
                                        + "ElectionEvent.SessionUp)) { break; }")
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.DEADLINE, Invariant.RELEASE, Invariant.LEADER),
                bug(
                                "wrong-one-leaves-the-roll",
                                "When an election needs to be told of sessions no longer, the last one on "
                                        + "the roll is left out in its place.")
                        .edit("engine/Roll.java", "machines[place] = last; last.put(concern, place);", "")
                        .in(Aim.CROWDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.DEADLINE, Invariant.RELEASE, Invariant.LEADER),
                bug(
                                "followers-not-told-of-sessions",
                                "Only elections that hold something are told of sessions, so that a follower "
                                        + "has none to stand with.")
                        .edit(
                                "engine/CandidateMachine.java",
                                "settings.sharesSession() && election.state().dependsOnSessions()",
                                "settings.sharesSession() && election.state().isHolding()")
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.LEADER),
                bug(
                                "stray-kept-while-work-is-stuck",
                                "A stray under a living session is removed once the work has stopped, which "
                                        + "it never does.")
                        .of("our own drafts")
                        .edit(
                                DUTIES,
                                "if (mess != null && work.allowsRelease(state.nanos())) {",
                                "if (mess != null && !work.isRunning()) {")
                        .edit(
                                STATE,
                                "wake = outbox.isFree() && work.allowsRelease(nanos()) ? "
                                        + "Math.min(wake, releaseAtNanos) : wake;",
                                "wake = outbox.isFree() && !work.isRunning() ? Math.min(wake, "
                                        + "releaseAtNanos) : wake;")
                        .in(Aim.STUCK)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(15_000)
                        .foundBy(Invariant.LEADER, Invariant.LEFTOVERS),
                bug("dead-session-kept", "Once its session has died a candidate never stands again.")
                        .of("hashicorp/vault#3031, kubernetes-client/java#714, etcd-io/jetcd#833")
                        .edit(
                                STEP,
                                "state.session = e.session();",
                                "state.session = state.attemptSession() == null ? e.session() : state.session;")
                        .foundBy(Invariant.LEADER),
                bug("second-session-beside-the-first", "A session is opened although one is open.")
                        .of("Consul's Lock: by default each opens a session of its own")
                        .edit(
                                SESSIONS,
                                "if (!wanted || closing || current != null || openRequest >= 0) {",
                                "if (!wanted || closing || lives.size() >= 2 || openRequest >= 0) {")
                        .foundBy(Invariant.SESSION),
                bug("loss-told-and-ignored", "The store says that the session is gone, and it is asked again.")
                        .of("kubernetes/kubernetes#23731, fabric8io/kubernetes-client#2860 (loss never signalled)")
                        .edit(
                                SESSIONS,
                                "if (!(renewal instanceof SessionRenewal.Renewed renewed)) { over(life); return; }",
                                "if (!(renewal instanceof SessionRenewal.Renewed renewed)) { "
                                        + "unanswered(life); return; }")
                        .foundBy(Invariant.DEADLINE));
    }
}
