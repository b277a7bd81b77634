package dev.mandate.internal;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionStatistics;
import dev.mandate.EndReason;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What a client counts, for {@link dev.mandate.ElectionClient#statistics()}. A fixed number of counters, whatever the
 * number of elections. Counting is one addition that never blocks, allocates or reads a clock, and nobody waits for a
 * count: nothing is decided by it. Any thread.
 */
final class Counters {
    private static final Verb[] VERBS = Verb.values();
    private static final CallOutcome[] OUTCOMES = CallOutcome.values();
    private static final EndReason[] REASONS = EndReason.values();

    private final AtomicLongArray sent = new AtomicLongArray(VERBS.length);
    /** By verb, and for each verb by outcome; so is the array below. */
    private final AtomicLongArray counts = new AtomicLongArray(VERBS.length * OUTCOMES.length);

    private final AtomicLongArray nanos = new AtomicLongArray(VERBS.length * OUTCOMES.length);
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLongArray ended = new AtomicLongArray(REASONS.length);
    private final AtomicLong overruns = new AtomicLong();
    private final AtomicLong watchGaps = new AtomicLong();
    private final AtomicLong watchReopenings = new AtomicLong();

    private static int at(Verb verb, CallOutcome outcome) {
        return verb.ordinal() * OUTCOMES.length + outcome.ordinal();
    }

    // ---- calls to the store ----

    void sent(Verb verb) {
        sent.incrementAndGet(verb.ordinal());
    }

    /** The store answered. */
    void answered(Verb verb, Object answer, long tookNanos) {
        count(verb, outcome(answer), tookNanos);
    }

    /** The call failed. */
    void failed(Verb verb, Throwable why, long tookNanos) {
        count(verb, why instanceof StoreSetupException ? CallOutcome.FAULTED : CallOutcome.UNKNOWN, tookNanos);
    }

    private void count(Verb verb, CallOutcome outcome, long tookNanos) {
        int at = at(verb, outcome);
        counts.incrementAndGet(at);
        nanos.addAndGet(at, Math.max(0, tookNanos));
    }

    private static CallOutcome outcome(Object answer) {
        if (answer instanceof WriteOutcome.Written) {
            return CallOutcome.WRITTEN;
        }
        return answer instanceof WriteOutcome.Refused || answer instanceof SessionRenewal.Gone
                ? CallOutcome.REFUSED
                : CallOutcome.ANSWERED;
    }

    // ---- terms and watches ----

    /** A term began. */
    void begun() {
        begun.incrementAndGet();
    }

    /** A term ended. */
    void ended(EndReason why) {
        ended.incrementAndGet(why.ordinal());
    }

    /** Work of a term outlived its budget. */
    void overrun() {
        overruns.incrementAndGet();
    }

    /** A watch may have missed something. */
    void watchGap() {
        watchGaps.incrementAndGet();
    }

    /** A watch works again. */
    void watchReopened() {
        watchReopenings.incrementAndGet();
    }

    // ---- reading ----

    /** The counters now, with what others count. */
    ClientStatistics snapshot(long sessionsOpened, long sessionsLost, List<ElectionStatistics> elections) {
        Map<EndReason, Long> reasons = new EnumMap<>(EndReason.class);
        for (EndReason why : REASONS) {
            reasons.put(why, ended.get(why.ordinal()));
        }
        return new CountedClient(
                calls(),
                begun.get(),
                reasons,
                overruns.get(),
                sessionsOpened,
                sessionsLost,
                watchGaps.get(),
                watchReopenings.get(),
                elections);
    }

    private Map<Verb, CallStatistics> calls() {
        Map<Verb, CallStatistics> calls = new EnumMap<>(Verb.class);
        for (Verb verb : VERBS) {
            if (verb != Verb.WATCH) {
                calls.put(verb, calls(verb));
            }
        }
        return calls;
    }

    private CallStatistics calls(Verb verb) {
        Map<CallOutcome, Long> ends = new EnumMap<>(CallOutcome.class);
        Map<CallOutcome, Duration> times = new EnumMap<>(CallOutcome.class);
        for (CallOutcome outcome : OUTCOMES) {
            ends.put(outcome, counts.get(at(verb, outcome)));
            times.put(outcome, Duration.ofNanos(nanos.get(at(verb, outcome))));
        }
        return new CountedCalls(verb, sent.get(verb.ordinal()), ends, times);
    }
}
