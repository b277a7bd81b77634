package dev.mandate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The bounds that follow from a client's settings and its store. Immutable. Comes from {@link
 * ElectionClient#explain()}; later versions may add methods.
 */
public interface Explanation {
    /** The store's name and address, without secrets. */
    String store();

    /** How much leadership is worth here. */
    Guarantee guarantee();

    /** All settings in force, by name, the common ones first. */
    Map<String, String> settings();

    /** L: how long a term lives without renewal. */
    Duration lease();

    /**
     * How long a leader believes that it leads after it sent its last confirmed renewal, if the store grants the least
     * that it may.
     */
    Duration believedFor();

    /** From the crash of a leader to the next one, while the store answers in time and a candidate campaigns. */
    Duration failoverAtMost();

    /** From the end of any fault to a leader, not counting cool-downs and slow retries. */
    Duration recoveryAtMost();

    /** How long two may lead after a <em>forced</em> eviction. Nothing else may cause an overlap. */
    Duration overlapAtMost();

    /** How long work may take to stop, if the store grants the least that it may. */
    Duration drainBudget();

    /** How long a new client waits before it takes over from a holder that it never saw alive. */
    Duration coldStartWait();

    /**
     * Who tries first where the store or {@link Order#ARRIVAL} sets an order, in words. Empty where all candidates
     * race.
     */
    String first();

    /**
     * How long the others wait for their turn at most, even if the order breaks. {@link #failoverAtMost} and {@link
     * #recoveryAtMost} include it.
     */
    Duration turnAtMost();

    /** What must be true of the store and the clocks. */
    List<String> assumptions();

    /** All of it in words, on several lines. */
    String inWords();
}
