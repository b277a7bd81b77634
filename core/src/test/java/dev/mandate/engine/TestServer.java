package dev.mandate.engine;

import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A model store on which requests take effect when a test says so: in time, late, or with a reply that never comes. */
final class TestServer {
    final ModelStore model;
    int pageItems = 100;

    TestServer(StoreTraits traits, ModelOptions options) {
        this.model = new ModelStore(traits, options);
    }

    /** Has {@code request} take effect, and gives back the reply. */
    Answer land(Action request, long nanos, long wallMillis) {
        if (request instanceof ElectionAction.Request r) {
            return land(r, nanos, wallMillis);
        } else if (request instanceof SessionAction.Open r) {
            TestSession handle = new TestSession(
                    model.openSession(r.leaseNanos(), nanos), Duration.ofNanos(model.grantedNanos(r.leaseNanos())));
            Answer answer = (candidate, now) -> candidate.on(new SessionEvent.Opened(r.request(), handle), now);
            return answer.saying("session " + handle.id() + " is open");
        } else if (request instanceof SessionAction.Renew r) {
            SessionRenewal renewal = model.renewSession(number(r.handle()), nanos);
            Answer answer = (candidate, now) -> candidate.on(new SessionEvent.Renewed(r.request(), renewal), now);
            boolean isGone = renewal instanceof SessionRenewal.Gone;
            return answer.saying("session " + r.handle().id() + (isGone ? " is gone" : " is renewed"));
        } else if (request instanceof SessionAction.End r) {
            model.endSession(number(r.handle()), nanos);
            Answer answer = (candidate, now) -> candidate.on(new SessionEvent.Ended(r.request()), now);
            return answer.saying("session " + r.handle().id() + " is ended");
        } else if (request instanceof SweepAction r) {
            return sweep(r, nanos);
        }
        throw new AssertionError("no request: " + request);
    }

    private Answer land(ElectionAction.Request request, long nanos, long wallMillis) {
        if (request instanceof ElectionAction.Read r) {
            Observation seen = model.read(r.key(), nanos);
            return event(r.key(), new ElectionEvent.ReadAnswered(r.request(), seen));
        } else if (request instanceof ElectionAction.Acquire r) {
            SessionLease session = r.session();
            long number = session == null ? 0 : number(session.handle());
            return written(r, model.acquire(r.key(), r.basis(), r.proposal(), number, nanos, wallMillis));
        } else if (request instanceof ElectionAction.Update r) {
            return written(r, model.update(r.basis(), r.record(), r.intent(), nanos));
        } else if (request instanceof ElectionAction.Release r) {
            return written(r, model.release(r.basis(), nanos));
        }
        if (request instanceof ElectionAction.Erase r) {
            return written(r, model.erase(r.basis(), nanos));
        }
        throw new AssertionError("no request: " + request);
    }

    private Answer sweep(SweepAction request, long nanos) {
        Page<Observation> page = model.list(RecordKey.elections(), request.from(), pageItems, nanos);
        Answer answer = (candidate, now) -> candidate.onSweep(request.request(), page, now);
        return answer.saying("the listing");
    }

    private static Answer written(ElectionAction.Request request, WriteOutcome outcome) {
        return event(request.key(), new ElectionEvent.WriteAnswered(request.request(), outcome))
                .saying(outcome instanceof WriteOutcome.Written ? "done: " : "refused: ");
    }

    private static Answer event(RecordKey key, ElectionEvent event) {
        return (candidate, now) -> candidate.on(key, event, now);
    }

    private static long number(StoreSession handle) {
        return ((TestSession) handle).number();
    }

    /** A session the engine may pass around, and must never call. */
    record TestSession(long number, Duration granted) implements StoreSession {
        @Override
        public String id() {
            return "s" + number;
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            throw new AssertionError("the engine called a store");
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            throw new AssertionError("the engine called a store");
        }
    }
}
