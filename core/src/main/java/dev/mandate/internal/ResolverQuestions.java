package dev.mandate.internal;

import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import org.jspecify.annotations.Nullable;

/**
 * A resolver's questions to the store: one at a time, repeated while wanted. They are spaced like retries, and
 * unanswered ones ever further, up to a third of a lease. The observer learns from the answers, too. On the loop,
 * unless stated otherwise.
 */
final class ResolverQuestions {
    private static final int DOUBLINGS_MAX = 10;

    /** The resolver that asks. */
    interface Asker {
        /** Whether a question could bring news: about a term that failed, or for a caller that waits. */
        boolean isToAsk();

        /** Whether a term failed and no answer has come since. */
        boolean isSuspicious();

        /** The number that an answer must name. On the loop. */
        long asks();

        /** The store answered a question asked at {@code askedNanos}; observers know it by now. On the loop. */
        void answered(long asked, long askedNanos, Observation seen);
    }

    private final ClientContext client;
    private final RecordKey election;
    private final TimedCalls calls;
    private final Asker resolver;
    /** A question is wanted. */
    private final Signal wish;
    /** Until then an answer may come without a question: an observer reads as soon as it follows. */
    private final long settledNanos;

    private boolean isAsking;
    private boolean isAgain;
    private int unanswered;
    private long earliestNanos = Long.MIN_VALUE;
    private Timers.@Nullable Timer timer;
    private long timerNanos;

    ResolverQuestions(ClientContext client, RecordKey election, TimedCalls calls, Asker resolver) {
        this.client = client;
        this.election = election;
        this.calls = calls;
        this.resolver = resolver;
        this.wish = new Signal(client.loop(), this::ask);
        this.settledNanos = client.host().nanos() + client.timing().retryIntervalNanos();
    }

    /** Asks the store, now or as soon as possible. Any thread; never blocks. */
    void want() {
        wish.give();
    }

    /** If a question is under way, asks again after it: it may have been asked too early. */
    private void ask(Now now) {
        long atNanos = resolver.isSuspicious() ? earliestNanos : Math.max(earliestNanos, settledNanos);
        if (isAsking) {
            isAgain = true;
        } else if (now.monotonicNanos() < atNanos) {
            askAt(atNanos);
        } else {
            send(now);
        }
    }

    private void askAt(long atNanos) {
        if (timer == null || atNanos < timerNanos) {
            cancel();
            timerNanos = atNanos;
            timer = client.loop().at(atNanos, this::due);
        }
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void due(Now now) {
        timer = null;
        if (resolver.isToAsk()) {
            ask(now);
        }
    }

    private void send(Now now) {
        isAgain = false;
        long asked = resolver.asks();
        long askedNanos = now.monotonicNanos();
        earliestNanos = askedNanos + client.timing().retryIntervalNanos();
        calls.call(now, Verb.READ, call -> calls.store().read(election, call), new StoreCalls.Outcome<Observation>() {
            @Override
            public void answered(Observation seen, Now then) {
                isAsking = false;
                unanswered = 0;
                try {
                    learn(seen, askedNanos, then);
                    resolver.answered(asked, askedNanos, seen);
                } finally {
                    // Whatever went wrong, a caller may wait.
                    goOn(then);
                }
            }

            @Override
            public void failed(Throwable why, Now then) {
                isAsking = false;
                unanswered++;
                earliestNanos = Math.max(earliestNanos, then.monotonicNanos() + pauseNanos());
                goOn(then);
            }
        });
        isAsking = true;
    }

    /** As from a listing. A client that leads, or tries to, knows by itself. */
    private void learn(Observation seen, long askedNanos, Now now) {
        if (client.loop().machine().role(election) instanceof Role.Following) {
            client.loop().tell(election, new ElectionEvent.Swept(askedNanos, seen), now);
        }
    }

    private long pauseNanos() {
        long retry = client.timing().retryIntervalNanos();
        long longest = Math.max(retry, client.timing().leaseNanos() / 3);
        return Math.min(longest, retry << Math.min(unanswered - 1, DOUBLINGS_MAX));
    }

    private void goOn(Now now) {
        if (isAgain || resolver.isToAsk()) {
            ask(now);
        }
    }
}
