package dev.mandate.simulator.runtime;

import dev.mandate.internal.Client;
import dev.mandate.internal.ClientSettings;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Clock;
import dev.mandate.simulator.world.Hazard;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One process with one real client, and what may happen to a process. */
final class Process {
    final RuntimeWorld world;
    final int index;
    final Clock clock;
    final Seat[] seats;

    /** Counts its lives. */
    int epoch;

    boolean isUp;
    boolean isFrozen;
    boolean isCutOut;
    boolean isCutIn;
    boolean isRefused;
    boolean isClosing;
    /** Counts down the random draws on the loop: the step that draws last fails; 0 for none. */
    int failsAfter;

    long noSuspensionBefore = Long.MIN_VALUE;
    long noStepBackBefore = Long.MIN_VALUE;
    /** The true time at which {@code close()} returned and the process had nothing left to do. */
    long closedAt = Long.MAX_VALUE;

    private long closeBy = Long.MAX_VALUE;

    /** The true time at which the last stalled thread went on; {@link #disturbedUntil} does not count loops. */
    private long stalledUntil;

    private long disturbedUntil;
    /** How long its threads were stalled in total. */
    private long stalledNanos;

    private @Nullable SimHost host;
    private @Nullable Connection connection;
    private @Nullable Client client;
    private final ArrayDeque<Event> inbox = new ArrayDeque<>();
    private long frozenAt;
    private boolean hasFailed;
    /** The true times at which its last suspension began and ended. */
    private long sleptFrom = Long.MIN_VALUE;

    private long sleptUntil = Long.MIN_VALUE;

    Process(RuntimeWorld world, int index, Clock clock) {
        this.world = world;
        this.index = index;
        this.clock = clock;
        this.seats = new Seat[world.knobs.elections];
    }

    SimHost host() {
        return Objects.requireNonNull(host);
    }

    Connection connection() {
        return Objects.requireNonNull(connection);
    }

    Client client() {
        return Objects.requireNonNull(client);
    }

    Seat seat(RecordKey key) {
        return seats[RuntimeWorld.election(key)];
    }

    /** Starts a new process with a new client. */
    void start() {
        epoch++;
        isUp = true;
        isFrozen = false;
        isClosing = false;
        closedAt = Long.MAX_VALUE;
        closeBy = Long.MAX_VALUE;
        clock.wakeUp(world.now());
        inbox.clear();
        for (int e = 0; e < seats.length; e++) {
            seats[e] = new Seat(this, e);
        }
        RuntimeKnobs knobs = world.knobs;
        ClientSettings settings = ClientSettings.of(name(), knobs.timing, knobs.settle, knobs.overrun);
        Executor executor = knobs.hasExecutor
                ? piece -> {
                    isolated("hands over a piece");
                    world.put(world.now() + world.wakeLag(), this, "executor", piece);
                }
                : null;
        world.quietly(() -> {
            host = new SimHost(this);
            connection = new Connection(this);
            client = new Client(host(), settings, connection(), "model", executor, this::draw, new Journalist(this))
                    .start();
            return true;
        });
        for (Seat seat : seats) {
            user("stands", 0, seat::begin);
        }
    }

    private long draw() {
        Driven turn = world.running().turn;
        if (failsAfter > 0 && !world.isHealed() && turn != null && turn.isLoop && --failsAfter == 0) {
            world.note(() -> "  " + this + " is short of memory");
            hasFailed = true;
            // Not an OutOfMemoryError, which would end the simulator itself.
            throw new InternalError("simulated: one allocation failed");
        }
        return world.random.nextLong();
    }

    /** Whether a step of its machines failed. Then its terms may end for that reason. */
    boolean hasFailed() {
        return hasFailed;
    }

    String name() {
        return "c" + index;
    }

    /** Its users do something after {@code delay}, on a thread of theirs. */
    void user(String what, long delay, Runnable piece) {
        world.put(world.now() + delay, this, what, piece);
    }

    /** User code runs here: the thread must not be the loop or the watchdog. */
    void isolated(String what) {
        Driven turn = world.running().turn;
        if (turn != null) {
            world.judge.violated(
                    Invariant.ISOLATION,
                    this + ": users' code (" + what + ") runs on the " + (turn.isLoop ? "loop" : "watchdog"));
        }
    }

    /** The true time at which its monotonic clock shows {@code nanos}. Not once the world is over: it may be asleep. */
    long when(long nanos) {
        world.requireNotOver();
        return clock.when(nanos, world.now());
    }

    /** Sleeps by its own clock. */
    void sleep(long nanos) throws InterruptedException {
        long until = clock.nanos(world.now()) + nanos;
        while (clock.nanos(world.now()) < until) {
            world.await(null, when(until) + world.wakeLag());
        }
    }

    /** Sleeps likewise, but ignores interrupts. */
    void sleepStubbornly(long nanos) {
        long until = clock.nanos(world.now()) + nanos;
        while (clock.nanos(world.now()) < until) {
            try {
                sleep(until - clock.nanos(world.now()));
            } catch (InterruptedException e) {
                // Ignored: it sleeps on.
            }
        }
    }

    // ---- what happens to it ----

    /** It is gone at once. */
    void crash() {
        isUp = false;
        isFrozen = false;
        inbox.clear();
        clock.wakeUp(world.now());
        world.crashed(this);
    }

    void restartLater() {
        long pause = world.random.nextLong(2 * world.knobs.leaseNanos());
        world.put(world.now() + pause, null, "restart", () -> {
            if (!isUp) {
                start();
            }
        });
    }

    /** The runtime halts the process, as policy demands. */
    void halted() {
        // The thread that decided this may have been stalled since.
        boolean hasReason = stalledUntil > world.now() - RuntimeKnobs.SECOND;
        for (Seat seat : seats) {
            Tenure last = seat.tenure();
            // A handle may still be on its way to its user.
            hasReason |= !seat.isByTask() || last != null && last.overruns();
        }
        if (!hasReason) {
            world.judge.violated(Invariant.OVERRUN, this + " halts although no work outlives its term");
        }
        world.fired(Hazard.HALTED);
        world.note(() -> this + " halts");
        crash();
        restartLater();
    }

    /** Stops the process, and with {@code suspended} its monotonic clock too. */
    void freeze(boolean suspended) {
        isFrozen = true;
        frozenAt = world.now();
        if (suspended) {
            sleptFrom = world.now();
            clock.fallAsleep(world.now());
        }
    }

    void thaw() {
        isFrozen = false;
        clock.wakeUp(world.now());
        sleptUntil = sleptFrom == frozenAt ? world.now() : sleptUntil;
        stalledNanos += world.now() - frozenAt;
        stalls(false, world.now());
        while (!inbox.isEmpty()) {
            world.putAgain(inbox.remove());
        }
        host().rearm();
    }

    void putOff(Event event) {
        inbox.add(event);
    }

    /** One of its threads is stalled until then. */
    void stalls(boolean isLoop, long untilTrue) {
        stalledNanos += Math.max(0, untilTrue - world.now());
        stalledUntil = Math.max(stalledUntil, untilTrue);
        if (!isLoop) {
            disturbedUntil = Math.max(disturbedUntil, untilTrue);
        }
    }

    long stalledUntil() {
        return stalledUntil;
    }

    /** Whether it was suspended after {@code sinceTrue} for longer than a lease, and has a clock that shows that. */
    boolean sleptThroughALease(long sinceTrue) {
        return sleptFrom > sinceTrue
                && sleptUntil - sleptFrom > world.slowest(world.knobs.leaseNanos())
                && !clock.estimates();
    }

    long disturbedUntil() {
        return disturbedUntil;
    }

    /** The end of the last time that any of it stood still. */
    long disturbedLast() {
        return Math.max(stalledUntil, sleptUntil);
    }

    long stalledNanos() {
        return stalledNanos + (isFrozen ? world.now() - frozenAt : 0);
    }

    // ---- the end ----

    /** Its user closes the client. */
    void close() {
        if (isClosing) {
            return;
        }
        isClosing = true;
        world.fired(Hazard.CLOSED);
        boolean isPolite = world.random.nextBoolean();
        long grace = isPolite ? world.random.nextLong(2 * world.knobs.leaseNanos()) : 0;
        for (Seat seat : seats) {
            seat.isWanted = false;
            seat.closesWithin(grace);
        }
        long own = world.knobs.timing.drainTimeoutNanos()
                + 8 * world.knobs.timing.requestTimeoutNanos()
                + 5 * RuntimeKnobs.SECOND;
        closeBy = world.now() + clock.trueNanos(own + grace);
        if (isPolite) {
            client().close(Duration.ofNanos(grace));
        } else {
            client().close();
        }
        closedAt = world.now();
        closeBy = Long.MAX_VALUE;
        user("exits", world.random.nextLong(2 * world.knobs.leaseNanos()), () -> {
            crash();
            restartLater();
        });
    }

    /** Call it after every event. */
    void look() {
        if (!isUp || isFrozen) {
            return;
        }
        if (closeBy != Long.MAX_VALUE && world.now() > Math.max(closeBy, stalledUntil) + stalledNanos) {
            world.judge.violated(Invariant.ENDING, this + " does not come back from close()");
        }
    }

    /** Whether a user may expect no more callbacks. */
    boolean isSilent() {
        return world.now() > closedAt && stalledUntil < closedAt - world.knobs.leaseNanos();
    }

    /** Handles a line of its log. */
    void logged(String line) {
        int at = line.indexOf("OVERRUN: ");
        int election = line.indexOf(" election=e");
        int term = line.indexOf(" term=");
        if (at < 0 || election < 0 || term < 0) {
            return;
        }
        long number = Long.parseLong(line.substring(term + 6).split(" ", 2)[0]);
        seats[line.charAt(election + 11) - '0'].overrunReported(number);
    }

    @Override
    public String toString() {
        return "process " + index;
    }
}
