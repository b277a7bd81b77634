package dev.mandate.simulator.world;

import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SessionEvent;
import java.util.ArrayList;
import java.util.List;

/** The sessions of one process and its requests for them. */
final class Sessions {
    private final Candidate candidate;
    private final List<SimSession> opened = new ArrayList<>(2);
    private boolean opening;
    private long openingUntilNanos;
    private long renewRequest;
    private long renewUntilNanos;

    Sessions(Candidate candidate) {
        this.candidate = candidate;
    }

    /** The process begins. */
    void begin() {
        opened.clear();
        opening = false;
    }

    private long nanos() {
        return candidate.get().monotonicNanos();
    }

    void asks(SessionAction.Request request) {
        if (request instanceof SessionAction.End end) {
            SimSession session = (SimSession) end.handle();
            if (session.tries.since(Long.MIN_VALUE) == 0) {
                candidate.load.ends(session, nanos());
            }
        } else if (request instanceof SessionAction.Renew renew) {
            SimSession session = (SimSession) renew.handle();
            session.tries.sent(nanos());
            if (opened.stream().anyMatch(newer -> newer.number > session.number)) {
                candidate.load.covers(session, nanos());
            }
            renewRequest = renew.request();
            renewUntilNanos = nanos() + renew.timeoutNanos();
        } else if (request instanceof SessionAction.Open) {
            candidate.world.works.opens("candidate " + candidate.index, opening && nanos() < openingUntilNanos);
            opening = true;
            openingUntilNanos = nanos() + request.timeoutNanos();
        }
    }

    void hears(SessionEvent event) {
        if (event instanceof SessionEvent.Opened
                || event instanceof SessionEvent.Unanswered
                || event instanceof SessionEvent.Faulted) {
            opening = false;
        }
    }

    /** Whether {@code request} is the newest renewal of a session and its answer is still awaited. */
    boolean awaitsRenewal(long request) {
        return request == renewRequest && nanos() < renewUntilNanos;
    }

    /** The store has opened a session for a request of this process, or of an earlier life. */
    void opened(SimSession session, int forEpoch) {
        if (forEpoch == candidate.epoch) {
            opened.add(session);
        }
    }

    /** All sessions of this process, in the order in which they were opened. */
    List<SimSession> all() {
        return opened;
    }
}
