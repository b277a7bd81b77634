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

    /** Called for every message, so it avoids regular expressions. */
    static Delivery of(@Nullable String reply) {
        if (reply == null) {
            return new Delivery(-1, -1);
        }
        int dots = 0;
        for (int i = 0; i < reply.length(); i++) {
            dots += reply.charAt(i) == '.' ? 1 : 0;
        }
        int at = dots + 1 > SHORT ? 7 : 5;
        int from = 0;
        for (int i = 0; i < at && from >= 0; i++) {
            from = after(reply, from);
        }
        int next = from < 0 ? -1 : after(reply, from);
        if (next < 0) {
            return new Delivery(-1, -1);
        }
        int end = after(reply, next);
        return new Delivery(number(reply, from, next - 1), number(reply, next, end < 0 ? reply.length() : end - 1));
    }

    private static int after(String text, int from) {
        int dot = text.indexOf('.', from);
        return dot < 0 ? -1 : dot + 1;
    }

    /** Parses a whole number; -1 for anything else. */
    static long number(@Nullable String text) {
        return text == null ? -1 : number(text, 0, text.length());
    }

    private static long number(String text, int from, int to) {
        if (from >= to || to - from > DIGITS_MAX) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = 10 * number + c - '0';
        }
        return number;
    }
}
