package dev.mandate.spi;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the holder of a lease stored.
 *
 * @param candidate the holder's id for people; not unique, never compared
 * @param incarnation drawn anew for every opened client; distinguishes two clients with one candidate id
 * @param attempt drawn anew for every try to acquire; the <em>only</em> thing that says "this record is that term's"
 * @param value what the leader publishes: an address, a name, anything
 * @param lease how long the term lives without renewal, as the holder counts it; positive. A challenger waits this
 *     long, so that candidates with different settings can safely share an election
 * @param term the fencing token, or 0 while the record does not contain it: then the term is the record's revision, and
 *     the first update writes it in
 * @param leave whether somebody asked this attempt to stop leading; dies with the attempt
 * @param sinceMillis when the holder acquired, in milliseconds since 1970 by its own wall clock. For people only:
 *     nothing is ever decided by it
 * @param unknown fields of a newer format, name to raw JSON; every update of this attempt keeps them
 */
public record LeaderRecord(
        String candidate,
        Id incarnation,
        Id attempt,
        String value,
        Duration lease,
        long term,
        boolean leave,
        long sinceMillis,
        Map<String, String> unknown) {
    private static final String ORDER = "order";

    public LeaderRecord {
        Objects.requireNonNull(candidate, "candidate");
        Objects.requireNonNull(incarnation, "incarnation");
        Objects.requireNonNull(attempt, "attempt");
        Objects.requireNonNull(value, "value");
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("the record's lease is " + lease + "; it must be more than 0");
        }
        if (term < 0) {
            throw new IllegalArgumentException("the record's term is " + term + "; it must be 0 or more");
        }
        unknown = unknown.isEmpty() ? Map.of() : Map.copyOf(unknown);
    }

    /** A proposal for a new term: no term, no leave flag, no unknown fields. */
    public static LeaderRecord proposal(
            String candidate, Id incarnation, Id attempt, String value, Duration lease, long sinceMillis) {
        return new LeaderRecord(candidate, incarnation, attempt, value, lease, 0, false, sinceMillis, Map.of());
    }

    /**
     * This record with the word for its candidate's order, so that others notice when candidates use different orders.
     * Older versions keep the field as an {@link #unknown} one.
     *
     * @param order lower-case letters
     */
    public LeaderRecord withOrder(String order) {
        Map<String, String> fields = new TreeMap<>(unknown);
        fields.put(ORDER, '"' + order + '"');
        return new LeaderRecord(candidate, incarnation, attempt, value, lease, term, leave, sinceMillis, fields);
    }

    /** What {@link #withOrder} wrote; empty if the candidate raced. Untrusted text. */
    public String order() {
        String raw = unknown.getOrDefault(ORDER, "");
        boolean isText = raw.length() > 2 && raw.charAt(0) == '"' && raw.charAt(raw.length() - 1) == '"';
        return isText ? raw.substring(1, raw.length() - 1) : "";
    }

    /** This record with its term written in. */
    public LeaderRecord withTerm(long newTerm) {
        return newTerm == term
                ? this
                : new LeaderRecord(candidate, incarnation, attempt, value, lease, newTerm, leave, sinceMillis, unknown);
    }

    /** This record with another value. */
    public LeaderRecord withValue(String newValue) {
        return new LeaderRecord(candidate, incarnation, attempt, newValue, lease, term, leave, sinceMillis, unknown);
    }

    /** This record with the leave flag set. */
    public LeaderRecord askedToLeave() {
        return new LeaderRecord(candidate, incarnation, attempt, value, lease, term, true, sinceMillis, unknown);
    }
}
