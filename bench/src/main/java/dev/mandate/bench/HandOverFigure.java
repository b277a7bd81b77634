package dev.mandate.bench;

import dev.mandate.ElectionClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Time from a resignation to the next leader among three candidates in this process, each with its own client; in a
 * group, among all members. The floor is a {@link HandOverByHand}.
 */
final class HandOverFigure implements Measurement {
    private static final int WARM_UP = 20;

    @Override
    public String name() {
        return "handover";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        int rounds = target.samples(200, 20);
        progress.accept("hand-over, " + rounds + " rounds, and as many made by hand");
        Samples ours = new Samples(rounds);
        Samples floor = new Samples(rounds);
        try (Hosted hosted = Hosted.of(target);
                Candidates candidates = new Candidates(target.election("handover"), clients(target), null);
                HandOverByHand hands = new HandOverByHand(target)) {
            // In turns, because the load of the machine and the warmth of the JVM vary.
            for (int i = 0; i < WARM_UP + rounds; i++) {
                long took = candidates.handOver();
                long byHand = hands.handOver();
                if (i >= WARM_UP) {
                    ours.add(took);
                    floor.add(byHand);
                }
            }
        }
        return List.of(
                Figure.of("hand-over p50", ours.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting(ours.count() + " resignations, " + target.candidates() + " candidates in one process"),
                Figure.of("hand-over p99", ours.millis(0.99), "ms").beside(floor.millis(0.99)));
    }

    private static List<ElectionClient> clients(Target target) {
        List<ElectionClient> clients = new ArrayList<>();
        for (int i = 0; i < target.candidates(); i++) {
            clients.add(
                    target.client("candidate-" + i, i).coolDown(Duration.ZERO).connect());
        }
        return clients;
    }
}
