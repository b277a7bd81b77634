package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes while waiting: hints, silence, pace, settling, the leave flag. */
final class WaitingBugs {
    private static final String STEP = "engine/Step.java";
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String DUTIES = "engine/Duties.java";
    private static final String ANSWERS = "engine/Answers.java";
    private static final String STATE = "engine/ElectionState.java";
    private static final String SIGHTINGS = "engine/Sightings.java";
    private static final String PACE = "engine/Pace.java";
    private static final String OUTBOX = "engine/Outbox.java";

    private WaitingBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("hint-trusted-as-proof", "What a watch shows ends or wins a term without a read.")
                        .of("every watch-driven recipe; nats-io/nats-server#4162, patroni/patroni#308 "
                                + "(stale reads believed)")
                        .edit(
                                ANSWERS,
                                "if (!mine || ((Observation.Held) seen).record().leave()) { "
                                        + "pace.hinted(state.nanos()); }",
                                "transitions.proven(seen, state.nanos());")
                        .foundBy(Invariant.REASON),
                bug(
                                "sight-rule-missing",
                                "A term under a living session goes on although no read has shown its record for long.")
                        .of("hashicorp/consul#8736, #4935 (the monitor's reads fail, the holder believes)")
                        .edit(
                                STATE,
                                "return isListed() ? askedAtNanos + settings.timing().sightNanos() : Long.MAX_VALUE;",
                                "return Long.MAX_VALUE;")
                        .in(Aim.BLINDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "records-never-looked-at",
                                "A session's renewal is taken as proof of its records: nobody looks at them.")
                        .of("etcd's concurrency package, Curator: the session lives, so the lead does")
                        .edit(
                                "engine/CandidateMachine.java",
                                "return settings.sharesSession() && needingSight.size() > 0;",
                                "return false;")
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.CALM),
                bug(
                                "observer-counts-from-send",
                                "The challenger counts the holder's silence from when it asked, not from when it saw.")
                        .edit(
                                SIGHTINGS,
                                "if (!overtaken) { note(observation, live, nowNanos); lookedAtNanos",
                                "if (!overtaken) { note(observation, live, askedAtNanos); lookedAtNanos")
                        .in(Aim.CLOCK_SLOW)
                        .in(StoreKind.JUDGES_RECORD)
                        .within(6_000)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("own-lease-waited-for", "The challenger waits its own lease, not the one in the holder's record.")
                        .of("client-go with two configurations during a rolling restart")
                        .edit(SIGHTINGS, "return leaseNanos(held); }", "return settings.timing().leaseNanos(); }")
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "cold-challenger-in-a-hurry",
                                "A challenger that sees a holder for the first time takes it for dead after "
                                        + "half a lease.")
                        .of("fabric8io/kubernetes-client (compares a remote time stamp with the local clock)")
                        .edit(
                                SIGHTINGS,
                                "return leaseNanos(held); }",
                                "return liveness == null ? leaseNanos(held) / 2 : leaseNanos(held); }")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "wall-clock-shortens-a-wait",
                                "The challenger measures the holder's silence on the wall clock, which steps ahead.")
                        .of("lukas-krecan/ShedLock#231, kubernetes-client/java (currentTimeMillis)")
                        .edit(
                                STEP,
                                "outbox.open(); endWhatIsOver();",
                                "state.sightings.wallMillis = state.now.wallMillis(); outbox.open(); endWhatIsOver();")
                        .edit(
                                DUTIES,
                                "mayTry() ? sightings.takeable(state.nanos()) : null;",
                                "mayTry() ? sightings.takeable(Math.max(state.nanos(), sightings.wallNanos())) : null;")
                        .edit(
                                SIGHTINGS,
                                "livenessSinceNanos = nowNanos;",
                                "livenessSinceNanos = nowNanos; livenessSinceMillis = wallMillis;")
                        .edit(
                                SIGHTINGS,
                                "private long highestTerm;",
                                "private long highestTerm; long wallMillis; long livenessSinceMillis; long "
                                        + "wallNanos() { return"
                                        + " livenessSinceNanos + (wallMillis - livenessSinceMillis) * 1_000_000L; }")
                        .in(Aim.SUSPENDED)
                        .in(StoreKind.JUDGES_RECORD)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("older-term-told", "A late answer, or a late hint, makes observers go back to an older leader.")
                        .of("our own drafts")
                        .edit(
                                SIGHTINGS,
                                "boolean overtaken = hinted && askedAtNanos <= hintedAtNanos",
                                "boolean overtaken = false && askedAtNanos <= hintedAtNanos")
                        .within(15_000)
                        .foundBy(Invariant.VIEW),
                bug(
                                "late-hint-told",
                                "Observers are told what a hint shows, although a later look may have shown "
                                        + "something else.")
                        .of("watch-driven caches: a stream that lags behind reads takes them back")
                        .edit(
                                SIGHTINGS,
                                "if (news || known) { note(held, live, nowNanos); return false; }",
                                "note(held, live, nowNanos); if (news || known) { return false; }")
                        .foundBy(Invariant.VIEW),
                bug("late-vacancy-told", "Observers are told of a vacancy that only a hint has shown.")
                        .edit(
                                SIGHTINGS,
                                "suppose(vacant); return !(latest instanceof Observation.Vacant);",
                                "note(vacant, live, nowNanos); return false;")
                        .foundBy(Invariant.VIEW),
                bug(
                                "silence-that-no-look-has-shown",
                                "Observers are told of a vacancy once a lease has passed since the last look.")
                        .of("our own drafts, where a follower polls less often than a leader with a "
                                + "shorter lease renews")
                        .edit(
                                SIGHTINGS,
                                "return isSeenSilent(held) ? View.VACANT",
                                "return takeableAtNanos(held) <= nowNanos ? View.VACANT")
                        .in(StoreKind.JUDGES_RECORD)
                        .foundBy(Invariant.VIEW),
                bug("sight-counts-from-the-win", "A term ends as unseen although looks have shown its record.")
                        .edit(
                                TRANSITIONS,
                                "state.role = leading.with(held); attempt.seen(state.sightFrom(askedAtNanos));",
                                "state.role = leading.with(held);")
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.REASON),
                bug("sight-lasts-too-long", "A leader that cannot look believes for longer than is printed.")
                        .edit(
                                STATE,
                                "askedAtNanos + settings.timing().sightNanos()",
                                "askedAtNanos + 2 * settings.timing().sightNanos()")
                        .in(Aim.BLINDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("proclaim-confirmed-unseen", "A proclaim is confirmed by whatever value the record shows.")
                        .edit("engine/Proclaims.java", "if (now.equals(value)) {", "if (value != null) {")
                        .foundBy(Invariant.VALUE),
                bug("cool-down-missing", "Whoever resigned, or was asked to leave, stands again at once.")
                        .edit(PACE, "coolDownNanos = timing.coolDownNanos(endsInARow);", "coolDownNanos = 0;")
                        .foundBy(Invariant.ATTEMPT),
                bug(
                                "ends-in-a-row-forgotten",
                                "An idle election is forgotten while its last terms still make the next "
                                        + "cool-down longer.")
                        .edit(
                                PACE,
                                "return endsInARow > 0 ? Math.max(settled, endsCountUntilNanos) : settled;",
                                "return settled;")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.ATTEMPT),
                bug(
                                "unseen-again-at-once",
                                "Whoever cannot see its record takes the lead again as soon as it has given it up.")
                        .of("our own drafts")
                        .edit(PACE, "boolean blind = reason == EndReason.UNSEEN;", "boolean blind = false;")
                        .in(Aim.BLINDED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.ATTEMPT),
                bug("listing-never-given-up", "A page of the common listing that never comes is awaited for ever.")
                        .of("our own drafts")
                        .edit(
                                "engine/Listing.java",
                                "return request >= 0 && nowNanos - askedNanos >= answerNanos;",
                                "return false;")
                        .edit("engine/Listing.java", "return askedNanos + answerNanos;", "return Long.MAX_VALUE;")
                        .in(StoreKind.REMOVES_SESSION)
                        .within(15_000)
                        .foundBy(Invariant.CALM),
                bug("back-off-missing", "Whoever is refused asks again at once.")
                        .of("clients that meet Consul's lock-delay, which refuses everybody for a while")
                        .edit(
                                PACE,
                                "holdOff(nowNanos + Math.max(pause, Math.min(retryAfterNanos, "
                                        + "timing.coolDownNanos(Integer.MAX_VALUE))));",
                                "")
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.PACE),
                bug("retries-without-a-pause", "A read that failed is repeated at once.")
                        .of("clients that spin while a server refuses connections")
                        .edit(
                                PACE,
                                "readAtNanos = nowNanos + shared.retries().pauseNanos(silences, usualNanos, nowNanos);",
                                "readAtNanos = nowNanos;")
                        .foundBy(Invariant.PACE),
                bug("looks-without-a-pause", "Every hint is followed by a read, however many come.")
                        .of("a thundering herd of watchers")
                        .edit(
                                PACE,
                                "readAtNanos = Math.min(readAtNanos, soonestNanos(nowNanos));",
                                "readAtNanos = Math.min(readAtNanos, nowNanos);")
                        .foundBy(Invariant.PACE),
                bug("read-repeated-at-the-end", "The end of a term gives up a read, and soon the same is read again.")
                        .of("our own drafts, with polls shorter than retries")
                        .edit(PACE, "readAtNanos = Math.max(readAtNanos, soonestNanos(nowNanos));", "")
                        .in(Aim.CLOCK_EDGE)
                        .in(StoreKind.REMOVES_SESSION)
                        .within(15_000)
                        .foundBy(Invariant.PACE),
                bug("two-requests-in-flight", "A write is sent while another one is under way.")
                        .of("etcd-io/etcd PR 14177 (a keep-alive races its own grant)")
                        .edit(OUTBOX, "return pending == null || pending.kind() == Kind.READ;", "return true;")
                        .foundBy(Invariant.IN_FLIGHT),
                bug(
                                "settling-ignored",
                                "A win is announced at once, although a stranger's, or everybody's, has to settle.")
                        .edit(TRANSITIONS, "if (settle > 0) {", "if (settle < 0) {")
                        .foundBy(Invariant.ATTEMPT),
                bug("leave-flag-ignored", "Nobody leaves who is asked to.")
                        .edit(
                                TRANSITIONS,
                                "state.role = leading.with(held); "
                                        + "attempt.seen(state.sightFrom(askedAtNanos)); if (held.record().leave()) {",
                                "state.role = leading.with(held); "
                                        + "attempt.seen(state.sightFrom(askedAtNanos)); if (false) {")
                        .foundBy(Invariant.LEFTOVERS),
                bug("leave-flag-carried-over", "A new leader inherits the leave flag of the record it replaces.")
                        .edit(
                                DUTIES,
                                "outbox.acquire(basis, settings.queue() == null ?",
                                "outbox.acquire(basis, basis instanceof Observation.Held held && "
                                        + "!held.isForeign() && held.record().leave() ?"
                                        + " proposal.askedToLeave() : settings.queue() == null ?")
                        .foundBy(Invariant.RECORD),
                bug("leave-flag-dropped", "An update by the leader wipes out the leave flag.")
                        .edit(
                                OUTBOX,
                                "record.withTerm(held.term())",
                                "new LeaderRecord(record.candidate(), record.incarnation(), "
                                        + "record.attempt(), record.value(), record.lease(),"
                                        + " held.term(), false, record.sinceMillis(), record.unknown())")
                        .foundBy(Invariant.RECORD),
                bug("term-not-written-in", "The first update leaves the term to the revision, which moves.")
                        .of("whoever takes the revision itself for the token: on etcd and NATS it moves "
                                + "with every update")
                        .edit(OUTBOX, "record.withTerm(held.term())", "record")
                        .foundBy(Invariant.TERMS));
    }
}
