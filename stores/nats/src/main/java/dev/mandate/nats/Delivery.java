package dev.mandate.nats;

import org.jspecify.annotations.Nullable;

/**
 * The position of a delivered message, from its reply subject {@code
 * $JS.ACK.stream.consumer.delivered.revision.consumed.time.pending}; longer subjects begin with domain and account.
 *
 * @param revision its number in the stream; -1 if not known
 * @param consumed its number in the consumer, from 1 on; -1 if not known
 */
record Delivery(long revision, long consumed) {
    private static final int SHORT = 9;
    private static final int DIGITS_MAX = 18;
    private static final Delivery UNKNOWN = new Delivery(-1, -1);

    static Delivery of(@Nullable String reply) {
        String[] words = reply == null ? new String[0] : reply.split("\\.", -1);
        int at = words.length > SHORT ? 7 : 5;
        return words.length > at + 1 ? new Delivery(number(words[at]), number(words[at + 1])) : UNKNOWN;
    }

    /** Parses a whole number; -1 for anything else. Called for every message, so it avoids regular expressions. */
    static long number(@Nullable String text) {
        boolean isNumber = text != null
                && !text.isEmpty()
                && text.length() <= DIGITS_MAX
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Long.parseLong(text) : -1;
    }
}
