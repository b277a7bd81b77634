package dev.mandate.simulator.runtime;

import dev.mandate.simulator.world.Hazard;
import dev.mandate.spi.Hint;
import java.util.SplittableRandom;

/** Breaks and mends things at planned times, and lets users act at bad times. */
final class Mishaps {
    private final RuntimeWorld world;
    private final RuntimeKnobs knobs;
    private final SplittableRandom random;
    private final Hazard[] kinds;
    private boolean isOver;
    /** The true time of the last act that a leader notices only when it looks. */
    long lastForce = Long.MIN_VALUE / 2;

    Mishaps(RuntimeWorld world) {
        this.world = world;
        this.knobs = world.knobs;
        this.random = world.random;
        this.kinds = knobs.hazards.toArray(new Hazard[0]);
    }

    void plan() {
        for (int i = 0; i < knobs.hazardSteps; i++) {
            Hazard kind = kinds[random.nextInt(kinds.length)];
            world.put(random.nextLong(knobs.horizonNanos), null, kind.toString(), () -> act(kind));
        }
        for (int i = 0; i < knobs.userSteps; i++) {
            Hazard kind = Hazard.USERS[random.nextInt(Hazard.USERS.length)];
            world.put(random.nextLong(knobs.horizonNanos), null, "user", () -> use(kind));
        }
    }

    private void later(long delay, String what, Runnable mend) {
        world.put(world.now() + delay, null, what, mend);
    }

    private long spell() {
        long lease = knobs.leaseNanos();
        return lease / 10 + (long) (random.nextDouble() * random.nextDouble() * 3 * lease);
    }

    /** Prefers leaders, because there is more to break. */
    private Process victim(int election) {
        Process any = world.processes[random.nextInt(world.processes.length)];
        Tenure leader = random.nextInt(3) > 0 ? world.leader(election) : null;
        return leader == null ? any : leader.process;
    }

    private void use(Hazard kind) {
        int election = random.nextInt(knobs.elections);
        Process hit = victim(election);
        if (isOver || !hit.isUp || hit.isFrozen || hit.isClosing) {
            return;
        }
        hit.user(kind.toString(), 0, () -> {
            if (kind == Hazard.CLOSED) {
                hit.close();
            } else {
                hit.seats[election].act(kind);
            }
        });
    }

    private void act(Hazard kind) {
        if (isOver) {
            return;
        }
        int election = random.nextInt(knobs.elections);
        Process hit = victim(election);
        if (kind.isForce()) {
            lastForce = world.now();
        }
        boolean isDone = switch (kind) {
            case CUT, CUT_ANSWERS -> cut(hit, kind);
            case OUTAGE -> outage();
            case REFUSING -> refuse(hit);
            case PAUSE, SUSPENSION -> freeze(hit, kind == Hazard.SUSPENSION);
            case CRASH -> crash(hit);
            case WALL_AHEAD, WALL_BACK -> step(hit, kind == Hazard.WALL_BACK);
            case WATCH_BROKEN -> hint(hit, new Hint.Closed("the connection was lost"));
            case WATCH_GAP -> hint(hit, Hint.Gap.INSTANCE);
            case ASKED_TO_LEAVE -> askToLeave(election);
            case MEMORY_SHORT -> runShort(hit);
            default -> world.server.force(election, kind);
        };
        if (isDone) {
            world.fired(kind);
        }
    }

    private boolean cut(Process hit, Hazard kind) {
        hit.isCutOut |= kind == Hazard.CUT;
        hit.isCutIn = true;
        later(spell(), kind + " is over", () -> {
            hit.isCutOut = false;
            hit.isCutIn = false;
        });
        return true;
    }

    private boolean outage() {
        world.network.isOut = true;
        later(spell(), "the outage is over", () -> world.network.isOut = false);
        return true;
    }

    private boolean refuse(Process hit) {
        long spell = spell();
        // Refused requests are retried seldom, so the refusal must be over well before the end.
        boolean isInTime = world.now() + spell + 3 * knobs.leaseNanos() < knobs.horizonNanos;
        if (isInTime) {
            hit.isRefused = true;
            later(spell, "the refusal is over", () -> hit.isRefused = false);
        }
        return isInTime;
    }

    private boolean freeze(Process hit, boolean suspended) {
        if (hit.isFrozen || !hit.isUp || suspended && hit.noSuspensionBefore > world.now()) {
            return false;
        }
        long spell = spell();
        if (hit.clock.estimates()) {
            // The docs exclude this case where the time since boot is an estimate.
            hit.noStepBackBefore = world.now() + spell + 2 * knobs.leaseNanos();
        }
        hit.freeze(suspended);
        int epoch = hit.epoch;
        later(spell, hit + " goes on", () -> {
            if (hit.isFrozen && hit.epoch == epoch) {
                hit.thaw();
            }
        });
        return true;
    }

    /** Lets one of its machines' next steps that draw random numbers fail. */
    private boolean runShort(Process hit) {
        hit.failsAfter = 1 + random.nextInt(5);
        return hit.isUp;
    }

    /** Work of {@code hit} is being stopped: a bad time to be suspended. */
    void drains(Process hit) {
        if (isOver || !knobs.hazards.contains(Hazard.SUSPENSION) || random.nextInt(4) > 0) {
            return;
        }
        later(random.nextLong(1 + knobs.timing.drainTimeoutNanos() / 2), "suspension of " + hit, () -> {
            if (!isOver && freeze(hit, true)) {
                world.fired(Hazard.SUSPENSION);
            }
        });
    }

    private boolean crash(Process hit) {
        boolean wasUp = hit.isUp;
        if (wasUp) {
            hit.crash();
            hit.restartLater();
        }
        return wasUp;
    }

    private boolean step(Process hit, boolean isBack) {
        boolean isAllowed = !isBack || hit.noStepBackBefore <= world.now();
        if (isAllowed) {
            if (isBack && hit.clock.estimates()) {
                hit.noSuspensionBefore = world.now() + 2 * knobs.leaseNanos();
            }
            long far = random.nextLong(2 * knobs.leaseNanos());
            hit.clock.step(isBack ? -far : far, world.now());
        }
        return isAllowed;
    }

    private boolean hint(Process hit, Hint hint) {
        boolean hears = hit.isUp && hit.connection().isWatching();
        if (hears) {
            world.put(world.now(), hit, "hint", () -> hit.connection().hint(hint));
        }
        return hears;
    }

    private boolean askToLeave(int election) {
        lastForce = world.now();
        return world.server.askToLeave(election);
    }

    /** Ends all mishaps and mends everything. */
    void heal() {
        isOver = true;
        world.network.heal();
        for (Process process : world.processes) {
            process.isCutIn = false;
            process.isCutOut = false;
            process.isRefused = false;
            if (process.isFrozen) {
                process.thaw();
            }
            if (!process.isUp) {
                process.start();
            }
        }
    }
}
