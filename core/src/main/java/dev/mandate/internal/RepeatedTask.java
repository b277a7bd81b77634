package dev.mandate.internal;

import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.Objects;

/** A task that runs another one again and again, with a pause after each run, until its term is to end. */
final class RepeatedTask implements LeaderTask {
    private final Host host;
    private final long intervalNanos;
    /** In pauses nobody else says that the task is alive. */
    private final long beatNanos;

    private final LeaderTask task;

    RepeatedTask(Host host, Duration interval, RunOptions options, LeaderTask task) {
        this.host = host;
        this.intervalNanos = Durations.notNegative("interval", interval).toNanos();
        this.beatNanos = options.progressTimeout().orElse(Durations.MAX).toNanos() / 2;
        this.task = Objects.requireNonNull(task, "task");
    }

    @Override
    public void run(Leadership leadership) throws Exception {
        while (!leadership.isStopRequested()) {
            leadership.reportProgress();
            task.run(leadership);
            pause((WonLeadership) leadership);
        }
    }

    private void pause(WonLeadership won) throws InterruptedException {
        WonLeadership.Run run = Objects.requireNonNull(won.run(), "a task's term has a run");
        long untilNanos = host.nanos() + intervalNanos;
        for (long left = intervalNanos; left > 0 && !won.isStopRequested(); left = untilNanos - host.nanos()) {
            won.reportProgress();
            host.await(run.toStop(), host.nanos() + Math.min(left, beatNanos));
        }
    }
}
