package dev.mandate.simulator.runtime;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Hazard;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What the users of one client want in one election, and what came of it. */
final class Seat {
    final Process process;
    final int election;
    private final RuntimeWorld world;
    private final RuntimeKnobs knobs;
    private final SplittableRandom random;

    /** Whether its users want it to campaign. */
    boolean isWanted = true;
    /** Whether a candidacy was requested and is not over. */
    boolean stands;

    String value = "";
    private int values;
    private final Set<String> underWay = new LinkedHashSet<>();
    private @Nullable Candidacy candidacy;
    /** The true time at which its user closed the present or last candidacy. */
    private long closedAt = Long.MAX_VALUE;
    /** The true time until which work may go on after it was asked to stop. */
    private long graceUntil;

    private @Nullable Tenure tenure;
    private @Nullable Ear ear;
    /** Listens to the present candidacy. */
    private @Nullable RoleEar roleEar;

    private RunOptions options = RunOptions.DEFAULTS;
    private RuntimeKnobs.CampaignStyle how = RuntimeKnobs.CampaignStyle.BY_TASK;

    private Checkup checkup;
    /** The true time of the last acquire: nothing earlier justifies the end of its term. */
    private long acquiredAt;
    /** By term, when its overrun was reported, even if its work has not begun because a thread was stalled. */
    private final Map<Long, Long> overruns = new HashMap<>();

    Seat(Process process, int election) {
        this.process = process;
        this.election = election;
        this.world = process.world;
        this.knobs = world.knobs;
        this.random = world.random;
        this.checkup = new Checkup(process);
    }

    private Election election() {
        return process.client().election(RuntimeWorld.key(election).name());
    }

    @Nullable
    Ear ear() {
        return ear;
    }

    @Nullable
    RoleEar roleEar() {
        return roleEar;
    }

    boolean isByTask() {
        return how == RuntimeKnobs.CampaignStyle.BY_TASK;
    }

    /** The term that its users hold or held last. */
    @Nullable
    Tenure tenure() {
        return tenure;
    }

    // ---- standing ----

    /** Runs on a users' thread. */
    void begin() {
        if (random.nextInt(3) == 0) {
            observe();
        }
        stand();
    }

    void stand() {
        if (!isWanted || stands || process.isClosing) {
            return;
        }
        how = random.nextDouble() < knobs.byTask
                ? RuntimeKnobs.CampaignStyle.BY_TASK
                : random.nextBoolean() ? RuntimeKnobs.CampaignStyle.BY_STAGE : RuntimeKnobs.CampaignStyle.BY_CALL;
        value = process.name() + "-" + ++values;
        stands = true;
        closedAt = Long.MAX_VALUE;
        graceUntil = 0;
        try {
            switch (how) {
                case BY_TASK -> byTask();
                case BY_STAGE -> election().campaignAsync(value).whenComplete((won, failure) -> told(won));
                default -> byCall();
            }
        } catch (IllegalStateException e) {
            // The client is being closed, or the last candidacy is not quite over.
            over();
        }
    }

    private void byTask() {
        RunOptions made = random.nextInt(4) == 0 ? RunOptions.DEFAULTS : RunOptions.DEFAULTS.withCampaignAgain();
        if (knobs.heartbeats) {
            made = made.withProgressTimeout(Duration.ofNanos(knobs.leaseNanos()));
        }
        if (knobs.healthChecks) {
            Checkup asked = new Checkup(process);
            checkup = asked;
            made = made.withHealthCheck(
                    asked::isHealthy, Duration.ofNanos(asked.everyNanos()), Duration.ofNanos(asked.timeoutNanos()));
        }
        options = made;
        Candidacy own = election().runWhileLeader(value, made, this::task);
        candidacy = own;
        roleEar = random.nextBoolean() ? new RoleEar(process, election, own) : null;
        own.done().whenComplete((nothing, failure) -> {
            process.isolated("done()");
            if (candidacy == own) {
                candidacy = null;
                over();
            }
        });
    }

    /** A continuation, which may do the work at once. */
    private void told(@Nullable Leadership won) {
        handed(won);
        Tenure mine = tenure;
        if (won == null || mine == null || !knobs.worksWhenTold || world.isHealed()) {
            return;
        }
        world.fired(Hazard.WORKED_WHEN_TOLD);
        try {
            world.await(mine.over, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            world.judge.violated(
                    Invariant.ISOLATION, process + ": a continuation was interrupted that nobody interrupts");
        }
    }

    private void byCall() {
        try {
            Optional<Leadership> won = random.nextBoolean()
                    ? Optional.of(election().campaign(value))
                    : election().campaign(value, Duration.ofNanos(random.nextLong(4 * knobs.leaseNanos())));
            if (won.isEmpty()) {
                world.fired(Hazard.GAVE_UP);
            }
            handed(won.orElse(null));
        } catch (InterruptedException e) {
            world.judge.violated(Invariant.ISOLATION, process + ": a campaign was interrupted that nobody interrupts");
        }
    }

    /** A handle was won, or not if null. */
    private void handed(@Nullable Leadership won) {
        if (won == null) {
            over();
            return;
        }
        Tenure begun = take(won, false);
        works(begun);
    }

    /** Acts now and then until the work stops. */
    private void works(Tenure mine) {
        long pause = 1 + random.nextLong(knobs.leaseNanos() / 2);
        process.user("work", pause, () -> {
            if (mine.isWorking()) {
                mine.act();
                if (knobs.heartbeats && !world.isHealed() && random.nextInt(40) == 0) {
                    world.fired(Hazard.TASK_STALLED);
                    mine.isSilent = true;
                }
                works(mine);
            }
        });
    }

    private void over() {
        stands = false;
        roleEar = null;
        if (isWanted && !process.isClosing) {
            process.user("stands again", random.nextLong(knobs.leaseNanos()), this::stand);
        }
    }

    private Tenure take(Leadership won, boolean isTask) {
        process.isolated(isTask ? "a task" : "a campaign");
        Tenure last = tenure;
        if (last != null && last.isWorking()) {
            world.judge.violated(Invariant.CALLBACKS, process + " begins a term while its " + last + " works");
        }
        if (process.isSilent()) {
            world.judge.violated(Invariant.SILENCE, process + " begins a term after close() came back");
        }
        if (!stands && !process.isClosing) {
            world.judge.violated(Invariant.SILENCE, process + " begins a term after its candidacy was over");
        }
        Tenure begun = new Tenure(this, won, isTask);
        // A term may begin while its candidacy closes.
        begun.isCommanded = closedAt != Long.MAX_VALUE;
        tenure = begun;
        begun.begin();
        return begun;
    }

    /** Tells the work to stop, where nobody else does. */
    void lost(Tenure ended) {
        if (how != RuntimeKnobs.CampaignStyle.BY_TASK && ended.isWorking()) {
            process.user("stops", process.clock.trueNanos(stopping()), () -> close(ended));
        }
    }

    private void close(Tenure ended) {
        if (ended.isWorking()) {
            ended.isCommanded = true;
            ended.stopped();
            ended.leadership.close();
            over();
        }
    }

    /** How long work takes to stop. */
    private long stopping() {
        long drain = knobs.timing.drainTimeoutNanos();
        if (!world.isHealed() && knobs.overrunChance > 0 && random.nextDouble() < knobs.overrunChance) {
            return drain + random.nextLong(2 * knobs.leaseNanos());
        }
        return (long) (drain * knobs.stopShare * random.nextDouble());
    }

    // ---- what a task does ----

    private void task(Leadership won) throws InterruptedException {
        Tenure mine = take(won, true);
        works(mine);
        try {
            // Other threads of the task do the actual work; to the runtime this is the same.
            world.await(mine.wish, Long.MAX_VALUE);
            if (mine.wish.join() == Hazard.TASK_FAILED) {
                throw new IllegalStateException("the work failed");
            }
        } catch (InterruptedException e) {
            mine.interrupted();
            process.sleepStubbornly(stopping());
            if (random.nextBoolean()) {
                // Good manners, for code that does not own its thread.
                Thread.currentThread().interrupt();
            }
        } finally {
            mine.stopped();
        }
    }

    /** The health check of the present or last candidacy. */
    Checkup checkup() {
        return checkup;
    }

    long acquiredAt() {
        return acquiredAt;
    }

    void overrunReported(long term) {
        world.fired(Hazard.WORK_OVERRAN);
        overruns.putIfAbsent(term, world.now());
    }

    /** When the overrun was reported; null if it was not. */
    @Nullable
    Long overrunReportedAt(long term) {
        return overruns.get(term);
    }

    boolean hasHeartbeat() {
        return options.progressTimeout().isPresent();
    }

    long silenceNanos() {
        return options.progressTimeout().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    }

    // ---- what users do now and then ----

    void act(Hazard kind) {
        Tenure mine = tenure;
        boolean leads = mine != null && mine.isWorking();
        switch (kind) {
            case OBSERVED -> observe();
            case WITHDREW -> withdraw();
            case RESIGNED -> {
                if (leads && mine != null) {
                    world.fired(kind);
                    mine.isCommanded = true;
                    if (how == RuntimeKnobs.CampaignStyle.BY_TASK) {
                        mine.leadership.resign();
                    } else {
                        close(mine);
                    }
                }
            }
            case PROCLAIMED -> {
                if (leads && mine != null) {
                    mine.proclaim(process.name() + "-" + ++values);
                }
            }
            default -> {
                if (leads && mine != null && how == RuntimeKnobs.CampaignStyle.BY_TASK) {
                    world.fired(kind);
                    mine.isCommanded = true;
                    mine.wish.complete(kind);
                }
            }
        }
    }

    /** A value is about to be published; returns the values being published already. */
    Set<String> publishes(String published) {
        Set<String> besides = Set.copyOf(underWay);
        underWay.add(published);
        return besides;
    }

    /** The value was confirmed or given up. */
    void published(String published) {
        underWay.remove(published);
    }

    /** Whether the record showed this value or a later one of the same user, which replaces it before it is written. */
    boolean hasStood(long term, String published) {
        boolean isLater = false;
        boolean hasStood = false;
        for (int i = 1; i <= values; i++) {
            String each = process.name() + "-" + i;
            isLater |= each.equals(published);
            hasStood |= isLater && world.server.stood(election, new StoreServer.State(process.name(), term, each));
        }
        return hasStood;
    }

    private void withdraw() {
        Candidacy own = candidacy;
        if (own == null) {
            return;
        }
        world.fired(Hazard.WITHDREW);
        Tenure mine = tenure;
        if (random.nextBoolean()) {
            long grace = random.nextLong(2 * knobs.leaseNanos());
            closesWithin(grace);
            own.close(Duration.ofNanos(grace));
        } else {
            closesWithin(0);
            own.close();
        }
        if (mine != null && mine.isWorking() && world.quietly(mine::isBelieved)) {
            world.judge.violated(Invariant.SILENCE, mine + " is valid after its candidacy was closed");
        }
    }

    /** Its candidacy is about to be closed; work in progress ends a while after it is asked to, in time or not. */
    void closesWithin(long graceNanos) {
        closedAt = Math.min(closedAt, world.now());
        long until = world.now() + process.clock.trueNanos(graceNanos);
        graceUntil = graceUntil == 0 ? until : Math.min(graceUntil, until);
        Tenure mine = tenure;
        if (mine == null) {
            return;
        }
        mine.isCommanded = true;
        if (graceNanos == 0) {
            return;
        }
        mine.leadership.stopRequested().thenRun(() -> {
            process.isolated("stopRequested()");
            long later = random.nextLong(2 * knobs.leaseNanos());
            process.user("finishes", later, () -> {
                if (isByTask()) {
                    mine.wish.complete(Hazard.TASK_RETURNED);
                } else {
                    close(mine);
                }
            });
        });
    }

    /** Whether work in progress was promised more time. */
    boolean isInGrace() {
        return world.now() < graceUntil - RuntimeKnobs.MILLI;
    }

    private void observe() {
        world.fired(Hazard.OBSERVED);
        Ear old = ear;
        ear = null;
        if (old != null) {
            old.close();
        } else if (!process.isClosing) {
            try {
                ear = new Ear(process, election, election());
            } catch (IllegalStateException e) {
                // The client is being closed.
            }
        }
    }

    // ---- what the store is asked for ----

    void acquires() {
        acquiredAt = world.now();
        Tenure mine = tenure;
        boolean works = mine != null && mine.isWorking();
        // A stalled loop gets requests late.
        boolean mayStand = stands || process.isClosing || process.stalledUntil() > world.now() - 2 * knobs.leaseNanos();
        world.works.acquires(who(), works, mayStand, 0);
        if (world.now() - knobs.leaseNanos() / 2 > closedAt && process.disturbedLast() < closedAt) {
            world.judge.violated(Invariant.SILENCE, who() + " campaigns although its candidacy was closed");
        }
    }

    void releases(long term) {
        Tenure mine = tenure;
        if (mine != null && mine.term() == term) {
            world.works.letsGo(who(), "the record of " + mine, mine.isWorking(), mine.isCovered());
        }
    }

    private String who() {
        return process + " in election " + election;
    }
}
