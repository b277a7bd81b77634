package dev.mandate.bench;

import dev.mandate.console.Durations;
import dev.mandate.demo.TakeOvers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Time from SIGKILL of a leader's process until this process hears of the next leader, beside the computed bound. */
final class TakeOverFigure implements Measurement {
    private final int runs;

    TakeOverFigure(int runs) {
        this.runs = runs;
    }

    @Override
    public String name() {
        return "takeover";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        if (target.isMemory()) {
            progress.accept("take-over is skipped: other processes cannot use a store in this process's memory");
            return List.of();
        }
        Duration bound = target.explanation().failoverAtMost();
        List<Duration> gaps = TakeOvers.ofKilledLeaders(
                target.address(), target.group(), target.election("takeover"), target.explanation(), runs, progress);
        Samples samples = new Samples(gaps.size());
        gaps.forEach(gap -> samples.add(gap.toNanos()));
        double atMost = bound.toNanos() / 1e6;
        long within = gaps.stream().filter(gap -> gap.compareTo(bound) <= 0).count();
        double share = samples.millis(0.5) / atMost;
        return List.of(
                Figure.of("take-over min", samples.millis(0), "ms").within(atMost),
                Figure.of("take-over median", samples.millis(0.5), "ms")
                        .within(atMost)
                        .noting(String.format(
                                Locale.ROOT,
                                "%.0f %% of the bound; lease %s",
                                100 * share,
                                Durations.words(target.explanation().lease()))),
                Figure.of("take-over max", samples.millis(1), "ms")
                        .within(atMost)
                        .noting(within + " of " + gaps.size() + " within the bound"));
    }
}
