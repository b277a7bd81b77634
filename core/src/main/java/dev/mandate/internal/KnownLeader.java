package dev.mandate.internal;

import dev.mandate.LeaderView;
import dev.mandate.engine.View;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** What this client knows of one election's leader, and the observers who are told. Any thread, unless stated. */
final class KnownLeader {
    private final ClientContext client;
    private final Answered answered;
    private volatile View view = View.UNKNOWN;

    /** Guarded by this object's monitor. */
    private List<Observer> observers = List.of();

    KnownLeader(ClientContext client) {
        this.client = client;
        this.answered = new Answered(client.openedNanos());
    }

    // ---- on the loop ----

    /** This is what the machine knows now. */
    void know(View news) {
        // First: the answer behind it must not vouch for what it replaces.
        view = news;
        answered.known();
        observers().forEach(Observer::changed);
    }

    /** As {@link #know}, unless it is known already. */
    void catchUp(View news) {
        if (!news.equals(view)) {
            know(news);
        }
    }

    /** The machine has taken the answer that was heard last, and announced what it changed. */
    void refreshed() {
        answered.known();
        observers().forEach(Observer::refreshed);
    }

    // ---- what is known ----

    Answered answered() {
        return answered;
    }

    /** What the machine said last, however long ago. */
    View view() {
        return view;
    }

    /** What the machine said last, with its age; unknown if the store has not answered for a lease. */
    LeaderView present(Predicate<View> isOwn) {
        // First: a newer answer must not vouch for what it replaces.
        Duration age = Duration.ofNanos(answered.ageNanos(client.nanos()));
        View known = answered.isNever() ? View.UNKNOWN : view;
        boolean isStale = age.toNanos() >= client.timing().leaseNanos() && !isOwn.test(known);
        return isStale ? new LeaderView.Unknown(age) : Leaders.view(known, age);
    }

    // ---- observers ----

    synchronized void add(Observer observer) {
        observers = Lists.with(observers, observer);
    }

    synchronized void remove(Observer observer) {
        observers = Lists.without(observers, observer);
    }

    synchronized List<Observer> observers() {
        return observers;
    }

    boolean isObserved() {
        return !observers().isEmpty();
    }
}
