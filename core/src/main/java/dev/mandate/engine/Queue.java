package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The candidates that wait for one election, the first to come in front. Another class follows the records of the
 * places and reports changes here.
 *
 * <p>Adding and removing take logarithmic time, {@link #placeOf} a bounded one. Not safe for use from several threads.
 */
public final class Queue {
    /** The word for this order in records. */
    static final String WORD = "arrival";
    /** Numbers rise by one for each candidate that comes, so no candidate has a larger one. */
    static final long NUMBER_MAX = 1L << 53;

    private static final int DIGITS_MAX = 16;

    /**
     * The content of a place's record.
     *
     * @param rank smaller for a candidate that came earlier, as far as the store can tell; two may have the same
     * @param incarnation of the client that waits; decides between equal ranks
     * @param candidate its id for people; untrusted text
     * @param sinceMillis when it came by its own clock, for people only: nothing is decided by it
     */
    public record Place(long rank, String incarnation, String candidate, long sinceMillis) {}

    private final QueueOrder order;
    private final Map<RecordKey, Place> byKey = new HashMap<>();
    private final TreeMap<Place, RecordKey> inOrder = new TreeMap<>(Queue::firstCome);
    private long highest;

    private static int firstCome(Place one, Place other) {
        int byRank = Long.compare(one.rank, other.rank);
        return byRank != 0 ? byRank : one.incarnation.compareTo(other.incarnation);
    }

    /** An empty queue. */
    public Queue(QueueOrder order) {
        this.order = order;
    }

    /**
     * The place in {@code held}; null if there is none: another program's record, one under another client's key,
     * or malformed text.
     */
    public @Nullable Place read(Observation.Held held) {
        RecordKey key = held.key();
        if (held.isForeign()
                || key.segments().size() != 2
                || !key.name().equals(held.record().incarnation().toString())) {
            return null;
        }
        long rank =
                order == QueueOrder.BY_TERM ? held.term() : number(held.record().value());
        return rank < 0
                ? null
                : new Place(
                        rank,
                        key.name(),
                        held.record().candidate(),
                        held.record().sinceMillis());
    }

    /** The number in the text, -1 if there is none. */
    private static long number(String value) {
        if (!value.startsWith(WORD + ' ')) {
            return -1;
        }
        String digits = value.substring(WORD.length() + 1);
        boolean isNumber = !digits.isEmpty()
                && digits.length() <= DIGITS_MAX
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        long number = isNumber ? Long.parseLong(digits) : -1;
        return number <= NUMBER_MAX ? number : -1;
    }

    /** Puts this place at {@code key}; null for none. */
    public void put(RecordKey key, @Nullable Place place) {
        Place before = byKey.remove(key);
        if (before != null) {
            inOrder.remove(before);
        }
        if (place != null) {
            byKey.put(key, place);
            inOrder.put(place, key);
            if (order == QueueOrder.BY_NUMBER) {
                highest = Math.max(highest, place.rank);
            }
        }
    }

    /** Whether there is a place at {@code key}. */
    boolean contains(RecordKey key) {
        return byKey.containsKey(key);
    }

    /** All places, the first in front. */
    public List<Place> inOrder() {
        return List.copyOf(inOrder.keySet());
    }

    /**
     * How many wait in front of that place, {@link Ordered#STEPS_MAX} at most.
     *
     * @param own a place, whether or not the queue shows it yet; null if it has none, which makes it one of the last
     */
    public int placeOf(@Nullable Place own) {
        if (own == null) {
            return Ordered.STEPS_MAX;
        }
        int before = 0;
        for (Place place : inOrder.headMap(own).keySet()) {
            // The queue may still show an earlier place of the same client, whose session is over.
            before += place.incarnation.equals(own.incarnation) ? 0 : 1;
            if (before == Ordered.STEPS_MAX) {
                break;
            }
        }
        return before;
    }

    /** The next candidate's value. No number is given twice, so a candidate that comes again is the last. */
    public String nextValue() {
        return order == QueueOrder.BY_TERM ? WORD : WORD + ' ' + Math.min(highest + 1, NUMBER_MAX);
    }
}
