package dev.mandate.testkit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Decides about every piece of bytes in a {@link FaultProxy}. */
final class ProxyGate {
    private static final long NO_CUT = Long.MAX_VALUE;

    /** Guards everything; nobody does I/O under it. */
    private final Object lock = new Object();

    private final Map<Direction, Lane> lanes = new EnumMap<>(Direction.class);
    private long delayNanos;
    private int sliceBytes = Integer.MAX_VALUE;
    private long slicePauseNanos;
    private int answersToLose;
    /** How often {@link #loseAnswers} was called. */
    private long losses;

    private int cuts;
    private boolean isClosed;

    ProxyGate() {
        for (Direction direction : Direction.values()) {
            lanes.put(direction, new Lane());
        }
    }

    /** The faults of one direction, and what happened there. */
    private static final class Lane {
        boolean isStalled;
        boolean isSwallowing;
        long untilCut = NO_CUT;
        long kept;
        long forwarded;
    }

    private Lane lane(Direction direction) {
        return Objects.requireNonNull(lanes.get(direction));
    }

    /** A connection that wants bytes through. */
    interface Carrier {
        /** Whether it has ended, so that waiting is pointless. */
        boolean isOver();

        /** Reports that some of its bytes were swallowed. Called under the gate's lock. */
        void swallowed();

        /** Reports its first request since the {@code loss}-th call of {@link #loseAnswers}. Called under the lock. */
        void asked(long loss);

        /** The last number given to {@link #asked}; 0 at first. Called under the lock. */
        long askedIn();
    }

    /** How much of a piece may go on now, and what follows. */
    record Verdict(int bytes, boolean isSwallowed, boolean isCut) {}

    void pass() {
        synchronized (lock) {
            for (Lane lane : lanes.values()) {
                lane.isStalled = false;
                lane.isSwallowing = false;
                lane.untilCut = NO_CUT;
                lane.kept = 0;
            }
            delayNanos = 0;
            sliceBytes = Integer.MAX_VALUE;
            slicePauseNanos = 0;
            answersToLose = 0;
            lock.notifyAll();
        }
    }

    void delay(Duration delay) {
        synchronized (lock) {
            delayNanos = delay.toNanos();
        }
    }

    void slice(int bytes, Duration pause) {
        synchronized (lock) {
            sliceBytes = bytes;
            slicePauseNanos = pause.toNanos();
        }
    }

    void stall(Direction direction) {
        synchronized (lock) {
            lane(direction).isStalled = true;
            lane(direction).kept = 0;
        }
    }

    void blackHole(Direction direction) {
        synchronized (lock) {
            lane(direction).isSwallowing = true;
            lane(direction).kept = 0;
        }
    }

    void cutAfter(Direction direction, long bytes) {
        synchronized (lock) {
            lane(direction).untilCut = bytes;
        }
    }

    void loseAnswers(int answers) {
        synchronized (lock) {
            answersToLose = answers;
            losses++;
        }
    }

    void close() {
        synchronized (lock) {
            isClosed = true;
            lock.notifyAll();
        }
    }

    /** Lets waiting threads check again whether their carrier is over. */
    void wake() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    long kept(Direction direction) {
        synchronized (lock) {
            return lane(direction).kept;
        }
    }

    long forwarded(Direction direction) {
        synchronized (lock) {
            return lane(direction).forwarded;
        }
    }

    int cuts() {
        synchronized (lock) {
            return cuts;
        }
    }

    /**
     * Waits while {@code bytes} more bytes must not go on yet, and returns how many may then. Counts them as forwarded:
     * the caller writes them at once.
     *
     * @param bytes what was read and not yet forwarded; 0 for the end of the stream
     */
    Verdict admit(Carrier carrier, Direction direction, int bytes) throws InterruptedException {
        Lane lane = lane(direction);
        synchronized (lock) {
            if (delayNanos > 0) {
                await(delayNanos);
            }
            if (lane.isStalled) {
                lane.kept += bytes;
            }
            while (lane.isStalled && !isClosed && !carrier.isOver()) {
                lock.wait();
            }
            if (lane.isSwallowing) {
                lane.kept += bytes;
                carrier.swallowed();
                return new Verdict(bytes, true, false);
            }
            if (bytes > 0 && answersToLose > 0) {
                if (direction == Direction.TO_SERVER) {
                    carrier.asked(losses);
                } else if (carrier.askedIn() == losses) {
                    answersToLose--;
                    cuts++;
                    return new Verdict(0, false, true);
                }
            }
            int size = Math.min(bytes, sliceBytes);
            if (bytes > 0 && lane.untilCut < size) {
                int last = (int) lane.untilCut;
                lane.untilCut = NO_CUT;
                lane.forwarded += last;
                cuts++;
                return new Verdict(last, false, true);
            }
            if (lane.untilCut != NO_CUT) {
                lane.untilCut -= size;
            }
            lane.forwarded += size;
            return new Verdict(size, false, false);
        }
    }

    /** Waits after a slice that was not the last of its piece. */
    void pause() throws InterruptedException {
        synchronized (lock) {
            await(slicePauseNanos);
        }
    }

    /** Waits that long, or until the faults end. */
    private void await(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        boolean isDelaying = delayNanos > 0 || slicePauseNanos > 0;
        while (isDelaying && !isClosed) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(lock, left);
            isDelaying = delayNanos > 0 || slicePauseNanos > 0;
        }
    }
}
