package dev.mandate.camel;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.apache.camel.cluster.CamelClusterEventListener;

/** The listeners of a view. They start and stop routes, so each is called on a thread of its own, without a lock. */
final class Listeners {
    private final MandateClusterView view;
    private final ThreadFactory threads;
    private final List<ToldListener> told = new CopyOnWriteArrayList<>();

    Listeners(MandateClusterView view, ThreadFactory threads) {
        this.view = view;
        this.threads = threads;
    }

    /** Adds it, and tells it what is known. */
    void add(CamelClusterEventListener listener) {
        ToldListener added = new ToldListener(view, listener, threads);
        told.add(added);
        added.begin();
    }

    /** Removes it. A call of it may still be in progress. */
    void remove(CamelClusterEventListener listener) {
        told.stream().filter(t -> t.isOf(listener)).forEach(t -> t.end(() -> told.remove(t)));
    }

    /** This instance leads, if it still does. */
    void leadershipChanged() {
        told.forEach(ToldListener::leadershipChanged);
    }

    /** This instance leads no more. Completes when all have returned, those that were removed meanwhile as well. */
    Future<Void> leadershipLost() {
        return all(ToldListener::leadershipLost);
    }

    /** Has those told for which there was no thread. */
    void wake() {
        told.forEach(ToldListener::wake);
    }

    /** Tells those that are policies who leads. */
    void tellPolicies() {
        told.forEach(ToldListener::tellPolicy);
    }

    /** Completes when those that are policies have returned from what they were told before. */
    CompletableFuture<Void> policiesReturned() {
        return all(ToldListener::policyReturned);
    }

    private CompletableFuture<Void> all(Function<ToldListener, CompletableFuture<Void>> tell) {
        return CompletableFuture.allOf(told.stream().map(tell).toArray(CompletableFuture<?>[]::new));
    }

    /** Another instance leads, or none. */
    void leaderSeen() {
        told.forEach(ToldListener::leaderSeen);
    }

    /** Members have come or gone. */
    void membersChanged() {
        told.forEach(ToldListener::membersChanged);
    }
}
