package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** How evenly terms spread over candidates that resign and campaign again: by order of arrival, then by race. */
final class TermsFigure implements Measurement {
    private final int candidates;
    private final int resignations;

    TermsFigure(int candidates, int resignations) {
        this.candidates = candidates;
        this.resignations = resignations;
    }

    @Override
    public String name() {
        return "terms";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (Order order : List.of(Order.ARRIVAL, Order.RACE)) {
            progress.accept(ArrivalFigure.word(order) + ": " + resignations + " resignations among " + candidates);
            figures.addAll(figures(order, terms(target, order)));
        }
        return figures;
    }

    /** How many terms of each candidate ended by resignation. */
    private int[] terms(Target target, Order order) throws InterruptedException {
        String name = target.election("terms-" + ArrivalFigure.word(order));
        List<ElectionClient> clients = new ArrayList<>();
        for (int i = 0; i < candidates; i++) {
            clients.add(target.client("candidate-" + i, i)
                    .order(order)
                    .coolDown(Duration.ZERO)
                    .connect());
        }
        int[] terms = new int[candidates];
        try (ElectionClient looker = target.client("looker").connect();
                Candidates all = new Candidates(name, clients, order == Order.ARRIVAL ? looker.election(name) : null)) {
            for (int i = 0; i < resignations; i++) {
                terms[all.leader()]++;
                all.handOver();
            }
        }
        return terms;
    }

    static List<Figure> figures(Order order, int[] terms) {
        String word = ArrivalFigure.word(order);
        int resignations = Arrays.stream(terms).sum();
        double most = Arrays.stream(terms).max().orElse(0);
        double fewest = Arrays.stream(terms).min().orElse(0);
        // Rounded up: an incomplete last round gives some one more.
        double fair = (resignations + terms.length - 1) / terms.length;
        Figure highest = Figure.of(word + ": most terms", most, "of one");
        return List.of(
                order == Order.ARRIVAL ? highest.within(fair) : highest,
                Figure.of(word + ": fewest terms", fewest, "of one")
                        .noting(resignations + " resignations, " + terms.length + " candidates"));
    }
}
