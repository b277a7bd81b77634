package dev.mandate.simulator.groups;

import dev.mandate.EndReason;
import dev.mandate.simulator.Schedule;
import dev.mandate.simulator.check.BeliefCheck;
import dev.mandate.simulator.check.FenceCheck;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.Judge;
import dev.mandate.simulator.check.RegisterCheck;
import dev.mandate.simulator.check.TermCheck;
import dev.mandate.simulator.check.WorkCheck;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.GroupFault;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.Transcript;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of a group without a store: processes with a voter and a candidate each, a network, disks and mishaps,
 * on virtual time, decided by one seed. Checkers run after every event; then all is healed, and one must lead in time.
 */
public final class GroupWorld implements Schedule {
    static final long WALL_START_NANOS = 1_700_000_000L * GroupKnobs.SECOND;

    private static final List<RecordKey> KEYS =
            List.of(RecordKey.election("e0"), RecordKey.election("e1"), RecordKey.election("e2"));
    private static final List<String> NAMES =
            List.of("c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10");
    private static final long STEPS_MAX = 500_000;

    final SplittableRandom random;
    final GroupKnobs knobs;
    final Coverage coverage;
    final @Nullable Transcript log;
    final Judge judge = new Judge();
    final EventQueue queue = new EventQueue();
    final Links links;
    final Member[] members;
    final Mishaps mishaps;
    final @Nullable Plot plot;

    final BeliefCheck beliefs;
    final TermCheck terms;
    final FenceCheck fences;
    final WorkCheck works;
    final RegisterCheck register;
    final GroupHealing healing;
    private final List<GroupReign> open = new ArrayList<>(4);
    private final int[] lastLeader;

    /** True time. */
    long now;

    boolean isHealed;
    /** Whether tokens must rise, which ends when a majority forgets its promises. */
    private boolean tokensRise = true;

    private long steps;
    private long hash;

    /** The world of {@code seed}; {@code log}, if given, records it. */
    public GroupWorld(long seed, Aim aim, Coverage coverage, @Nullable Transcript log) {
        this.random = new SplittableRandom(seed);
        this.knobs = new GroupKnobs(random, aim == Aim.PLOTS || random.nextInt(4) == 0);
        this.coverage = coverage;
        this.log = log;
        this.beliefs = new BeliefCheck(knobs.elections, judge);
        this.terms = new TermCheck(knobs.elections, judge);
        this.fences = new FenceCheck(knobs.elections, judge);
        this.works = new WorkCheck(judge);
        this.register = new RegisterCheck(knobs.elections, (long) (knobs.lease / knobs.rateMax()), judge);
        this.lastLeader = new int[knobs.elections];
        java.util.Arrays.fill(lastLeader, -1);
        this.links = new Links(this);
        this.members = new Member[knobs.candidates()];
        for (int i = 0; i < members.length; i++) {
            members[i] = new Member(this, i);
        }
        this.mishaps = new Mishaps(this);
        this.plot = knobs.plot != null ? new Plot(this) : null;
        this.healing = new GroupHealing(this);
    }

    @Override
    public String knobs() {
        return knobs.toString();
    }

    static RecordKey key(int election) {
        return KEYS.get(election);
    }

    static String name(int candidate) {
        return NAMES.get(candidate);
    }

    static int election(RecordKey key) {
        return key.name().charAt(1) - '0';
    }

    // ---- the loop ----

    @Override
    public Outcome run() {
        fired(GroupFault.valueOf(knobs.scheme.name()));
        if (knobs.guests > 0) {
            fired(GroupFault.GUEST);
        }
        if (knobs.tooLong >= 0) {
            fired(GroupFault.LEASE_TOO_LONG);
        }
        if (knobs.isAtQ && knobs.rateMax() == GroupKnobs.Q) {
            fired(GroupFault.CLOCKS_AT_Q);
        }
        for (Member member : members) {
            long begin = random.nextInt(4) == 0 ? random.nextLong(knobs.lease) : random.nextLong(GroupKnobs.MILLI);
            mishaps.startLater(member, begin);
        }
        mishaps.plan();
        if (plot != null) {
            plot.plan();
        }
        runUntil(knobs.horizon);
        if (!judge.isBroken()) {
            healing.run();
            if (!judge.isBroken()) {
                coverage.recovered();
            }
        }
        return new Outcome(hash, steps, now, judge.broken(), judge.words());
    }

    /** Runs all events before {@code end}. */
    void runUntil(long end) {
        while (!judge.isBroken()) {
            long at = queue.firstAt();
            Member woken = null;
            for (Member member : members) {
                if (member.wakeAt < at) {
                    at = member.wakeAt;
                    woken = member;
                }
            }
            if (at >= end) {
                now = end;
                return;
            }
            now = at;
            if (++steps > STEPS_MAX) {
                judge.violated(Invariant.LOAD, "more than " + STEPS_MAX + " steps");
                return;
            }
            if (woken != null) {
                mix(5 + woken.index);
                woken.tick();
            } else {
                mix(3);
                queue.take().run();
            }
            check();
        }
    }

    private void check() {
        beliefs.afterEvent();
        if (knobs.scheme.isOrdered()) {
            long late = 2 * knobs.wakeLagMax + 10;
            for (Member member : members) {
                // Timers that expired in a pause run soon after it.
                if (member.isUp && !member.isPaused && now - member.wentOnAt > late) {
                    member.client.lookWhetherPlaced(late);
                }
            }
        }
    }

    void mix(long value) {
        long mixed = (hash ^ value ^ now) * 0x9E3779B97F4A7C15L;
        hash = mixed ^ mixed >>> 29;
    }

    void note(String what) {
        if (log != null) {
            log.add(now, what);
        }
    }

    void fired(GroupFault fault) {
        coverage.fired(fault);
    }

    // ---- who leads ----

    void begun(GroupReign reign) {
        int election = reign.election;
        if (tokensRise) {
            terms.begun(election, reign.term.number(), false);
        }
        beliefs.begun(election, reign);
        int leader = reign.candidate();
        coverage.began(lastLeader[election] >= 0 && lastLeader[election] != leader);
        lastLeader[election] = leader;
        open.add(reign);
    }

    void ended(GroupReign reign, EndReason reason) {
        open.remove(reign);
        healing.ended(reign, reason);
        coverage.ended(reason);
    }

    void forget(Member member) {
        beliefs.crashed(member.index);
        open.removeIf(reign -> reign.client.process == member);
    }

    void writes(GroupReign reign) {
        if (tokensRise) {
            fences.write(reign.election, reign.term.number(), !reign.isEnded && reign.isBelieved());
        }
    }

    /** A term of {@code election} that is believed, or null. */
    @Nullable
    GroupReign reign(int election) {
        for (GroupReign reign : open) {
            if (reign.election == election && !reign.isEnded && reign.isBelieved()) {
                return reign;
            }
        }
        return null;
    }

    /** A majority forgets its promises: tokens now rise only if wall clocks do; messages die with their connections. */
    void majorityForgets() {
        tokensRise = false;
        register.tokensMayFall();
        knobs.outlives = false;
        fired(GroupFault.MAJORITY_FORGOT);
    }
}
