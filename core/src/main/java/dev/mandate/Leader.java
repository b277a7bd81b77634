package dev.mandate;

import java.time.Duration;
import java.time.Instant;

/**
 * The leader according to a record.
 *
 * @param election the election's name
 * @param candidate the leader's id for people; untrusted text: pass it through {@link #printable} before you print it
 * @param value what the leader published; untrusted text
 * @param token the term's fencing token
 * @param since when the leader acquired, by its own wall clock; for people only. {@link Instant#EPOCH} if unknown
 * @param lease the lease of the term; zero if unknown
 * @param foreign whether another program wrote the record
 * @param asked whether the leader has been asked to leave
 * @param order the order by which its candidate tried. If waiting candidates use another one, that is safe,
 *     but no order is kept
 * @param verified whether the leader is known to be alive: always true where the store expires leases itself, elsewhere
 *     only after its liveness was seen to change within a lease
 */
public record Leader(
        String election,
        String candidate,
        String value,
        FencingToken token,
        Instant since,
        Duration lease,
        boolean foreign,
        boolean asked,
        Order order,
        boolean verified) {

    /**
     * {@code text} with every control, format and line-separating character replaced by {@code \\uXXXX}, for terminals.
     */
    public static String printable(String text) {
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
