package dev.mandate.nats;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Believers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Candidates of one election, of whom never two may believe to lead unless somebody's hand allowed it. */
final class Stand implements AutoCloseable {
    static final String ELECTION = "stand";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<ElectionClient> clients = new ArrayList<>();
    private final Believers believers = new Believers();
    private final Set<Leadership> terms = ConcurrentHashMap.newKeySet();
    private final AtomicReference<AssertionError> complaint = new AtomicReference<>();

    Stand(String... urls) {
        for (String url : urls) {
            clients.add(ElectionClient.connect(url));
        }
        for (ElectionClient client : clients) {
            client.election(ELECTION).runWhileLeader(client.candidate(), this::lead);
        }
    }

    private void lead(Leadership term) {
        check(() -> believers.add(term));
        terms.add(term);
        while (term.isValid()) {
            check(believers::requireOne);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void check(Runnable look) {
        try {
            look.run();
        } catch (AssertionError e) {
            complaint.compareAndSet(null, e);
        }
    }

    /** Somebody takes a term away by hand: until its holder hears of that, the next one may believe, too. */
    void forgive() {
        complaint.set(null);
    }

    Optional<Leadership> leader() {
        return terms.stream().filter(Leadership::isValid).findFirst();
    }

    Leadership awaitLeader() {
        return Await.value("a leader", PATIENCE, this::leader);
    }

    Leadership awaitNext(Leadership former) {
        long token = former.fencingToken().value();
        return Await.value(
                "the next leader",
                PATIENCE,
                () -> terms.stream()
                        .filter(Leadership::isValid)
                        .filter(term -> term.fencingToken().value() > token)
                        .findFirst());
    }

    void awaitLoss(Leadership term) {
        Await.until("the end of term " + term.fencingToken(), PATIENCE, () -> !term.isValid());
    }

    @Override
    public void close() {
        clients.forEach(ElectionClient::close);
        AssertionError failure = complaint.get();
        if (failure != null) {
            throw new AssertionError(failure.getMessage(), failure);
        }
    }
}
