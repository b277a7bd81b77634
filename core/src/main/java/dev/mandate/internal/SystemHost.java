package dev.mandate.internal;

import dev.mandate.engine.Now;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The real machine: the JVM's clocks and one daemon thread for everything that is driven. */
final class SystemHost implements Host {
    @Override
    public Now now() {
        // The wall clock first: held up between the two readings, the monotonic one shows more time, not less.
        long wallMillis = System.currentTimeMillis();
        return new Now(System.nanoTime(), wallMillis);
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Drive drive(String name, Step step) {
        ThreadDrive drive = new ThreadDrive(name, step);
        drive.thread.start();
        return drive;
    }

    @Override
    public boolean await(CompletableFuture<?> done, long untilNanos) throws InterruptedException {
        try {
            done.get(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return done.isDone();
        } catch (ExecutionException | java.util.concurrent.CancellationException e) {
            return true;
        }
        return true;
    }

    @Override
    public void halt(int status) {
        Runtime.getRuntime().halt(status);
    }

    private static final class ThreadDrive implements Drive, Runnable {
        private final Step step;
        private final Thread thread;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        ThreadDrive(String name, Step step) {
            this.step = step;
            this.thread = new Thread(this, name);
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (long at = step.step(); at != Step.DONE; at = step.step()) {
                    // An interrupt has no meaning here, and would turn every wait into a spin.
                    Thread.interrupted();
                    if (at == Long.MAX_VALUE) {
                        LockSupport.park(this);
                    } else {
                        LockSupport.parkNanos(this, at - System.nanoTime());
                    }
                }
            } finally {
                ended.complete(null);
            }
        }

        @Override
        public void wake() {
            LockSupport.unpark(thread);
        }

        @Override
        public boolean isCurrent() {
            return Thread.currentThread() == thread;
        }

        @Override
        public void interrupt() {
            thread.interrupt();
        }

        @Override
        public CompletableFuture<Void> ended() {
            return ended;
        }
    }
}
