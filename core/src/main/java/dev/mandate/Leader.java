package dev.mandate;

import java.time.Duration;
import java.time.Instant;

/**
 * Who a record says leads.
 *
 * @param election the election's name
 * @param candidate the leader's id for people; untrusted text: use {@link #printable} before a terminal sees it
 * @param value what the leader published; untrusted text
 * @param token the term's fencing token
 * @param since when the leader believes it acquired, by its own wall clock; for people only. {@link Instant#EPOCH} if not known
 * @param lease the lease of the term; zero if not known
 * @param foreign whether another program wrote the record
 * @param asked whether the leader has been asked to leave
 * @param order by which order its candidate tried: another one than that of those who wait is safe, but keeps no order
 * @param verified whether the leader is known to be alive: always where the store expires leases itself, elsewhere only after its liveness was
 *     seen to change within a lease
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

    /** {@code text} with everything a terminal might obey (control and format characters) replaced by {@code \\uXXXX}. */
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
