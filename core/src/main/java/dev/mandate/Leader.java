package dev.mandate;

import java.time.Duration;
import java.time.Instant;

/**
 * The leader according to a record. Immutable; equal if all of it is equal. Created by Mandate; later versions may add
 * methods. Candidate and value are untrusted text: pass them through {@link #printable} before you print them.
 */
public interface Leader {
    /** The election's name. */
    String election();

    /** The leader's id for people; untrusted text. */
    String candidate();

    /** What the leader published; untrusted text. */
    String value();

    /** The term's fencing token. */
    FencingToken token();

    /** When the leader acquired, by its own wall clock; for people only. {@link Instant#EPOCH} if unknown. */
    Instant since();

    /** The lease of the term; zero if unknown. */
    Duration lease();

    /** Whether another program wrote the record. */
    boolean foreign();

    /** Whether the leader has been asked to leave. */
    boolean asked();

    /**
     * The order by which its candidate tried. If waiting candidates use another one, that is safe, but no order is
     * kept.
     */
    Order order();

    /**
     * Whether the leader is known to be alive: always true where the store expires leases itself, elsewhere only after
     * its liveness was seen to change within a lease.
     */
    boolean verified();

    /**
     * {@code text} with every control, format and line-separating character replaced by {@code \\uXXXX}, for terminals.
     */
    static String printable(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean harmful = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            if (harmful) {
                out.append(c <= 0xFFFF ? String.format("\\u%04x", c) : String.format("\\U%08x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }
}
