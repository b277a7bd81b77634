package dev.mandate.demo;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line from a worker. Instants are microseconds since 1970: the wall clock is the only fine clock that processes
 * share, and a demonstration may assume that nobody sets it meanwhile.
 */
sealed interface Report {
    /** The worker leads; {@code isValid()} was true before {@code atMicros}. */
    record Leads(long token, long atMicros) implements Report {}

    /** The answer of {@code isValid()} for its last term, after {@code atMicros}. */
    record Beat(long token, long atMicros, boolean valid) implements Report {}

    /** The leader's token as the worker knows it; 0 for nobody or unknown. */
    record Sees(long token) implements Report {}

    /** The worker's term is over. */
    record Lost(long token, String why) implements Report {}

    /** The worker cannot go on. */
    record Failed(String sentence) implements Report {}

    /** The line, without its end. */
    default String line() {
        if (this instanceof Leads leads) {
            return "leads " + leads.token + " " + leads.atMicros;
        }
        if (this instanceof Beat beat) {
            return "beat " + beat.token + " " + beat.atMicros + " " + beat.valid;
        }
        if (this instanceof Sees sees) {
            return "sees " + sees.token;
        }
        if (this instanceof Lost lost) {
            return "lost " + lost.token + " " + lost.why;
        }
        return "failed " + ((Failed) this).sentence.replace('\n', ' ');
    }

    /** Reads what {@link #line} wrote; null for anything else, such as half a line from a killed worker. */
    static @Nullable Report parse(String line) {
        String[] words = line.split(" ", 4);
        try {
            return switch (words[0]) {
                case "leads" -> new Leads(Long.parseLong(words[1]), Long.parseLong(words[2]));
                case "beat" ->
                    new Beat(Long.parseLong(words[1]), Long.parseLong(words[2]), Boolean.parseBoolean(words[3]));
                case "sees" -> new Sees(Long.parseLong(words[1]));
                case "lost" -> new Lost(Long.parseLong(words[1]), line.split(" ", 3)[2]);
                case "failed" -> new Failed(line.substring("failed ".length()));
                default -> null;
            };
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return null;
        }
    }

    /** The current time in microseconds since 1970. */
    static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
