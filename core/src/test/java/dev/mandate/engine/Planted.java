package dev.mandate.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What a machine must not do, each in a class of its own, for {@link EngineIsPureTest} to find. Nothing here is ever
 * run.
 */
@SuppressWarnings("unused")
final class Planted {
    private Planted() {}

    static final class Nanos {
        long at() {
            return System.nanoTime();
        }
    }

    static final class Wall {
        long at() {
            return System.currentTimeMillis();
        }
    }

    static final class Clocks {
        Object at() {
            return java.time.Instant.now();
        }
    }

    static final class Draws {
        Object draw() {
            return java.util.UUID.randomUUID();
        }
    }

    static final class MathRandom {
        double draw() {
            return Math.random();
        }
    }

    static final class Waits {
        void pause() throws InterruptedException {
            Thread.sleep(1);
        }
    }

    static final class Runs {
        void run(java.util.concurrent.Executor executor) {
            executor.execute(() -> {});
        }
    }

    static final class Logs {
        void log() {
            System.getLogger("engine").log(System.Logger.Level.INFO, "a term began");
        }
    }

    static final class Reads {
        boolean read() {
            return new java.io.File("lease").exists();
        }
    }

    static final class Asks {
        boolean ask() {
            return Boolean.getBoolean("mandate.unsafe");
        }
    }

    static final class Counts {
        final java.util.concurrent.atomic.AtomicLong count = new java.util.concurrent.atomic.AtomicLong();
    }

    static final class Locks {
        synchronized void lock() {}
    }

    static final class Remembers {
        static int terms;
    }

    static final class Collects {
        static final List<String> TERMS = new ArrayList<>();
    }

    /** A store contract that knew the engine's runtime would do this. */
    static final class Up {
        dev.mandate.internal.ClientBuilder builder;
    }
}
