package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import java.util.List;

/** Mistakes of the runtime: its loop, watchdog, callbacks, tasks and close(). */
final class RuntimeBugs {
    private static final String LOOP = "internal/Loop.java";
    private static final String LANE = "internal/Lane.java";
    private static final String WATCH = "internal/Watch.java";
    private static final String WATCHDOG = "internal/Watchdog.java";
    private static final String LEADERSHIP = "internal/WonLeadership.java";
    private static final String TELLING = "internal/Telling.java";
    private static final String ELECTION = "internal/ClientElection.java";
    private static final String CHANGES = "internal/OwnChanges.java";
    private static final String TASK = "internal/TaskRun.java";
    private static final String HEALTH = "internal/HealthCheck.java";
    private static final String LASTING = "internal/LastingCandidacy.java";
    private static final String CLOSING = "internal/Closing.java";
    private static final String INSIDE = "internal/Interruptible.java";

    private RuntimeBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "hints-stamped-before-they-were-taken",
                                "A loop that is descheduled between its clock and its hints takes what it "
                                        + "then hears for seen long ago.")
                        .of("our own runtime, before it read the clock last")
                        .edit(
                                WATCH,
                                "take(); deliver(listener, clock.get());",
                                "Now before = clock.get(); take(); deliver(listener, before);")
                        .in(Aim.DESCHEDULED)
                        .within(15_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "one-reading-of-the-clock-per-turn",
                                "All events of a turn are told the time at which the turn began.")
                        .of("event loops that cache the time")
                        .edit(
                                LOOP,
                                "private Now now() { return host.since(turn); }",
                                "private Now now() { return turn; }")
                        .in(Aim.DESCHEDULED)
                        .within(15_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "valid-until-told",
                                "isValid() says yes until somebody has been told of the end; nobody looks at "
                                        + "the clock.")
                        .of("client-go IsLeader(), Curator hasLeadership()")
                        .edit(
                                LEADERSHIP,
                                "LeaseCell.Verdict verdict = term.check(client().clock());",
                                "LeaseCell.Verdict verdict = LeaseCell.Verdict.OPEN;")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "watchdog-sleeps",
                                "The watchdog looks at its terms only when somebody wakes it; a held-up loop "
                                        + "ends nothing.")
                        .of("leases that only the renewing thread checks")
                        .edit(
                                WATCHDOG,
                                "long wake = held > 0 ? lookedNanos + LOOK_NANOS : Long.MAX_VALUE;",
                                "if (held >= 0) { return Long.MAX_VALUE; } long wake = Long.MAX_VALUE;")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.DEADLINE, Invariant.OVERRUN),
                bug("loss-told-on-the-loop", "What waits for ended() runs on the thread that ended the term.")
                        .of("CompletableFuture's default, and every callback API built on it")
                        .edit(
                                LEADERSHIP,
                                "client().callbacks().run(() -> told.complete(reason));",
                                "told.complete(reason);")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.ISOLATION),
                bug("listener-called-on-the-loop", "Listeners are called by the loop itself.")
                        .of("Curator's LeaderLatch listeners on the event thread; ZooKeeper watchers that block")
                        .edit(TELLING, "client.callbacks().tell(this::call);", "call();")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.ISOLATION),
                bug(
                                "listener-called-beside-itself",
                                "Every change calls the listener anew, whether or not it is inside.")
                        .edit(TELLING, "if (isCalling || isClosed) {", "if (isClosed) {")
                        .edit(TELLING, "if (caller != null) {", "if (false) {")
                        .in(Aim.RUNTIME)
                        .within(6_000)
                        .foundBy(Invariant.CALLBACKS),
                bug("listener-called-after-its-end", "A listener that was closed is told all the same.")
                        .edit(TELLING, "if (isCalling || isClosed) {", "if (isCalling) {")
                        .edit(TELLING, "if (hasNews && !isClosed) {", "if (hasNews) {")
                        .edit(
                                ELECTION,
                                "void remove(Observer observer) { leader.remove(observer);",
                                "void remove(Observer observer) {")
                        .in(Aim.RUNTIME)
                        .within(6_000)
                        .foundBy(Invariant.SILENCE),
                bug(
                                "listener-told-two-terms-in-a-row",
                                "A candidacy's listener that missed the end of a term is told only of the next one.")
                        .of("callbacks on events that are merged: start, start, no stop between them")
                        .edit(
                                CHANGES,
                                "if (last == null || !last.isLeader()",
                                "if (last == null || last.isLeader() || !last.isLeader()")
                        .in(Aim.RUNTIME)
                        .within(6_000)
                        .foundBy(Invariant.VIEW),
                bug("own-end-untold", "A candidacy's listener is told when its term begins, and not when it ends.")
                        .of("a loss callback that only an explicit resignation calls")
                        .edit(
                                ELECTION,
                                "state = newState; ownChanged();",
                                "state = newState; if (newState == CandidacyStatus.State.LEADING) { ownChanged(); }")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.VIEW),
                bug(
                                "interrupted-is-taken-for-stopped",
                                "A task that was interrupted counts as stopped before it has returned.")
                        .of("shutdownNow() without awaitTermination()")
                        .edit(TASK, "if (isNeverRun && won != null) {", "if (won != null) {")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.RELEASE, Invariant.ATTEMPT, Invariant.EFFECTS, Invariant.CALLBACKS),
                bug("task-not-interrupted", "The end of a term is told, but its task goes on.")
                        .of("fabric8io/kubernetes-client: the work is not cancelled with the lead")
                        .edit(
                                LEADERSHIP,
                                "if (!endQuietly(why)) { return false; } interruptWork(); return true;",
                                "return endQuietly(why);")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.DEADLINE, Invariant.OVERRUN),
                bug(
                                "interrupt-left-behind",
                                "A pool's thread goes back with the interrupt that was meant for its last task.")
                        .of("executors whose tasks are cancelled with Future.cancel(true)")
                        .edit(INSIDE, "state.set(State.OVER); Thread.interrupted();", "state.set(State.OVER);")
                        .in(Aim.RUNTIME)
                        .within(6_000)
                        .foundBy(Invariant.ISOLATION),
                bug("proclaim-returns-at-once", "proclaim() comes back before the store has confirmed the value.")
                        .of("fire-and-forget writes")
                        .edit(
                                "internal/Proclaiming.java",
                                "if (isTaken && client.host().await(written, until) && written.join()) {",
                                "if (client.host().await(written, client.host().nanos()) | isTaken) {")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.VALUE),
                bug("overrun-not-reported", "Work that outlives its budget is nobody's news.")
                        .of("hashicorp/consul lock: a child that does not stop is not mentioned")
                        .edit(
                                "internal/Overruns.java",
                                "if (won.isFirstToReport()) { client.counters().overrun(); report(won); }",
                                "if (won.isFirstToReport()) { won.hasStopped(); }")
                        .in(Aim.RUNTIME)
                        .within(6_000)
                        .foundBy(Invariant.OVERRUN),
                bug(
                                "told-by-the-first-alone",
                                "Whoever ends a term tells of it; who is held up right then tells nobody, "
                                        + "and nobody else does.")
                        .of("our own runtime")
                        .edit(LEADERSHIP, "seeToOverrun(); tellLoss(); } }", "seeToOverrun(); } }")
                        .in(Aim.DESCHEDULED)
                        .within(20_000)
                        .foundBy(Invariant.DEADLINE),
                bug(
                                "late-no-ends-the-next-term",
                                "A health check of a former term that says no at last, being interrupted, "
                                        + "ends the term that has begun since.")
                        .of("our own runtime")
                        .edit(
                                HEALTH,
                                "listener.failed(question.term, EndReason.UNHEALTHY, now); } else if",
                                "if (leadership != null) { listener.failed(leadership, "
                                        + "EndReason.UNHEALTHY, now); } } else if")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.REASON),
                bug(
                                "former-check-takes-the-time-of-the-next",
                                "A term that begins while the check of a former one hangs ends before it has "
                                        + "asked once.")
                        .of("our own runtime")
                        .edit(
                                HEALTH,
                                "leadership = term; askLater(term, now);",
                                "leadership = term; if (running != null) { waiting = new Question(term, "
                                        + "now); } else { askLater(term, now); }")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.REASON),
                bug(
                                "callbacks-wait-for-those-that-block",
                                "Continuations share threads, and while as many as there are block, nobody "
                                        + "is told of a loss.")
                        .of("our own runtime; CompletableFuture's default pool, and every bounded pool of callbacks")
                        .edit(
                                LANE,
                                "private static final int SHORT_MAX = 16;",
                                "private static final int SHORT_MAX = 1;")
                        .edit(LANE, "SHORT_MAX + 2 * blocked", "SHORT_MAX")
                        .edit(
                                "internal/Callbacks.java",
                                "return wins.run(() -> inside(piece));",
                                "return completions.run(() -> inside(piece));")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.DEADLINE, Invariant.OVERRUN),
                bug(
                                "drain-budget-outlasts-the-lease",
                                "Work that is being stopped has its whole budget on a clock that stood "
                                        + "still, though the lease is over by the others.")
                        .of("our own runtime")
                        .edit(
                                "internal/WorkDeadlines.java",
                                "return atNanos <= now.monotonicNanos() || "
                                        + "term.term().cell().window().isEndPassed(now);",
                                "return atNanos <= now.monotonicNanos();")
                        .edit(
                                "engine/Work.java",
                                "now.monotonicNanos() < overrunAtNanos && !running.cell().window().isEndPassed(now)",
                                "now.monotonicNanos() < overrunAtNanos")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.OVERRUN),
                bug(
                                "announcement-lost-for-good",
                                "An error in the midst of a step loses what it announced: a term is led by "
                                        + "nobody, and renewed.")
                        .of("our own runtime")
                        .edit(LOOP, "isToMend = true;", "isToMend = false;")
                        .edit(LOOP, "isToEnd |= e instanceof Error; mend();", "isToEnd |= e instanceof Error;")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.LEADER, Invariant.DEADLINE, Invariant.OVERRUN, Invariant.LEFTOVERS),
                bug(
                                "a-time-long-past-ends-the-loop",
                                "A loop that wants its next turn at a time long past is taken for one that "
                                        + "wants no more.")
                        .of("our own runtime")
                        .edit(
                                LOOP,
                                "return wake <= nowNanos ? nowNanos + REST_NANOS : wake;",
                                "return wake <= nowNanos ? DONE : wake;")
                        .in(Aim.RUNTIME)
                        .within(15_000)
                        .foundBy(Invariant.ENDING, Invariant.LEADER, Invariant.DEADLINE),
                bug("grace-cut-short", "A candidacy that is closed politely ends its term at once.")
                        .of("process managers that send SIGTERM and SIGKILL together")
                        .edit(LASTING, "client.awaitQuietly(over(), graceNanos); close();", "close();")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.REASON),
                bug("grace-cut-short-for-a-client", "A client that is closed politely ends its terms at once.")
                        .of("process managers that send SIGTERM and SIGKILL together")
                        .edit(CLOSING, "await(left, untilNanos); close();", "close();")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.REASON),
                bug(
                                "campaigns-while-it-closes",
                                "A candidacy that is closed politely campaigns again when its term ends in " + "time.")
                        .edit(
                                LASTING,
                                "if (isStopping()) { election().tell(withdrawal(EndReason.WITHDRAWN), now); }",
                                "")
                        .in(Aim.RUNTIME)
                        .foundBy(Invariant.SILENCE));
    }
}
