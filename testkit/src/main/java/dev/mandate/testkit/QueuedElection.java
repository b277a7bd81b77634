package dev.mandate.testkit;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.Queued;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One election by order of arrival, with candidates in this process that have a client each. While it waits, it also
 * checks that no two believe. Used by one thread.
 */
final class QueuedElection implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String name;
    private final TrialStore store;
    private final ElectionClient observer;
    private final Map<String, ElectionClient> clients = new LinkedHashMap<>();
    private final Map<String, CompletableFuture<Leadership>> campaigns = new LinkedHashMap<>();
    private final Map<String, Leadership> terms = new LinkedHashMap<>();
    private final Believers believers = new Believers();

    QueuedElection(String name, TrialStore store) {
        this.name = name;
        this.store = store;
        this.observer = ElectionClient.builder(store.url(store.longLease()))
                .connectTimeout(PATIENCE)
                .connect();
    }

    String name() {
        return name;
    }

    RecordKey prefix() {
        return RecordKey.queue(name);
    }

    /** A client that only observes it. */
    ElectionClient observer() {
        return observer;
    }

    /** The candidate campaigns (again), with the long lease. */
    void comes(String candidate) {
        comes(candidate, store.url(store.longLease()));
    }

    /** The candidate campaigns; the first time with a new client of that URL, without a cool-down. */
    void comes(String candidate, String url) {
        ElectionClient client = clients.computeIfAbsent(
                candidate,
                key -> ElectionClient.builder(url)
                        .candidate(key)
                        .order(Order.ARRIVAL)
                        .coolDown(Duration.ZERO)
                        .connectTimeout(PATIENCE)
                        .connect());
        campaigns.put(candidate, client.election(name).campaignAsync(candidate).toCompletableFuture());
    }

    /** Candidates without a term campaign one after the other, each once the one before is in the queue. */
    void comeInTurn(List<String> before, String... candidates) {
        List<String> queued = new ArrayList<>(before);
        for (String candidate : candidates) {
            comes(candidate);
            queued.add(candidate);
            awaitQueue(queued);
        }
    }

    /** The queue, the first in front. */
    List<Queued> queue() {
        return StoreTrialFixture.asked(observer.election(name)::queue);
    }

    /** The candidates that wait, the first in front. */
    List<String> queued() {
        return queue().stream().map(Queued::candidate).toList();
    }

    /** Waits until exactly these queue, in this order. */
    void awaitQueue(List<String> candidates) {
        List<List<String>> seen = new ArrayList<>();
        try {
            Await.until("the queue " + candidates, PATIENCE, () -> {
                believers.requireOne();
                List<String> now = queued();
                if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(now)) {
                    seen.add(now);
                }
                return now.equals(candidates);
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; seen one after the other: " + seen, e);
        }
    }

    /** The record of a candidate's place in the queue. */
    RecordKey place(String candidate) {
        return queue().stream()
                .filter(place -> place.candidate().equals(candidate))
                .map(place -> RecordKey.place(name, Id.parse(place.incarnation())))
                .findFirst()
                .orElseThrow(() -> new AssertionError(candidate + " has no place"));
    }

    /** Waits until one of the candidates here has a new term, and returns its name. */
    String awaitLeader() {
        return Await.value("a leader among " + campaigns.keySet(), PATIENCE, () -> {
            Optional<String> next = campaigns.entrySet().stream()
                    .filter(campaign -> campaign.getValue().isDone())
                    .map(Map.Entry::getKey)
                    .findFirst();
            if (next.isPresent()) {
                Leadership term = taken(campaigns, next.get()).join();
                terms.put(next.get(), term);
                believers.add(term);
            }
            believers.requireOne();
            return next;
        });
    }

    private static <T> T taken(Map<String, T> from, String candidate) {
        return Objects.requireNonNull(from.remove(candidate), candidate);
    }

    /** Ends its term at once; the release follows. */
    void resigns(String leader) {
        Objects.requireNonNull(terms.get(leader), leader).resign();
    }

    /** Lets a former leader campaign again. */
    void ended(String former) {
        taken(terms, former).close();
    }

    /** Closes a waiting candidate with its client. */
    void goes(String candidate) {
        taken(clients, candidate).close();
        campaigns.remove(candidate);
    }

    /** Closes the waiting candidates, then ends all terms, then closes all clients. */
    @Override
    public void close() {
        List.copyOf(campaigns.keySet()).forEach(this::goes);
        terms.values().forEach(Leadership::close);
        clients.values().forEach(ElectionClient::close);
        observer.close();
    }
}
