package dev.mandate.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The news of sessions that elections have not received yet, and the counts. Any thread may read the counts. */
@SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
final class SessionNews implements SessionMachine.Listener {
    private final List<ElectionEvent> waiting = new ArrayList<>(2);
    private @Nullable SessionLease current;
    private boolean closing;
    private volatile long opened;
    private volatile long lost;

    @Override
    public void up(SessionLease session) {
        waiting.add(new ElectionEvent.SessionUp(session));
        current = session;
        opened++;
    }

    @Override
    public void latched(SessionLease session) {
        waiting.add(new ElectionEvent.SessionLatched(session));
        isOver(session);
    }

    @Override
    public void over(SessionLease session) {
        waiting.add(new ElectionEvent.SessionOver(session));
        isOver(session);
    }

    /** A session may be latched first and over later; it is lost once. */
    private void isOver(SessionLease session) {
        if (session == current) {
            current = null;
            lost += closing ? 0 : 1;
        }
    }

    /** From now on sessions end because the client is closed: none counts as lost. */
    void close() {
        closing = true;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    ElectionEvent first() {
        return waiting.get(0);
    }

    void removeFirst() {
        waiting.remove(0);
    }

    /** How many sessions were opened in time to be used. */
    long opened() {
        return opened;
    }

    /** How many of them ended before the client was closed. */
    long lost() {
        return lost;
    }
}
