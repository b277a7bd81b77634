package dev.mandate.testkit.history;

import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** Blocks all threads of the common pool, as some programs do by accident: libraries use that pool, too. */
public final class FullCommonPool {
    static final String PROPERTY = "mandate.trial.fullCommonPool";

    private FullCommonPool() {}

    /** Makes candidates do so, as on four processors: on one or two, JVMs before 25 do not use that pool. */
    public static Map<String, String> environment() {
        return Map.of("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=4 -D" + PROPERTY + "=true");
    }

    static void fill() {
        for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism(); i++) {
            ForkJoinPool.commonPool().execute(FullCommonPool::block);
        }
    }

    private static void block() {
        try {
            TimeUnit.DAYS.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
