package dev.mandate.testkit.history;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of a history.
 *
 * @param nanos when, by the monotonic clock that all processes of this machine share
 * @param node the process it is about, of {@code [A-Za-z0-9-]}; survives restarts of the process
 * @param incarnation how often that process was started before
 * @param kind what happened
 * @param number see {@link EventKind}; 0 where it has none
 * @param text see {@link EventKind}; of {@code [A-Z_]}, empty where it has none
 */
public record Event(long nanos, String node, int incarnation, EventKind kind, long number, String text) {
    private static final Pattern LINE =
            Pattern.compile("\\{\"t\":(-?\\d+),\"node\":\"([A-Za-z0-9-]*)\",\"incarnation\":(\\d+),"
                    + "\"kind\":\"([a-z_]+)\",\"number\":(-?\\d+),\"text\":\"([A-Z_]*)\"}");

    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9-]*");
    private static final Pattern TEXT = Pattern.compile("[A-Z_]*");

    public Event {
        if (!NODE.matcher(node).matches() || !TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("node is '" + node + "' and text '" + text
                    + "'; they are of letters, digits and -, and of capitals and _");
        }
    }

    /** Returns it as one line of JSON. */
    public String json() {
        return "{\"t\":" + nanos + ",\"node\":\"" + node + "\",\"incarnation\":" + incarnation + ",\"kind\":\""
                + kind.name().toLowerCase(Locale.ROOT) + "\",\"number\":" + number + ",\"text\":\"" + text + "\"}";
    }

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException if it is not an event
     */
    public static Event parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no event of a history: " + line);
        }
        return new Event(
                Long.parseLong(matcher.group(1)),
                matcher.group(2),
                Integer.parseInt(matcher.group(3)),
                EventKind.valueOf(matcher.group(4).toUpperCase(Locale.ROOT)),
                Long.parseLong(matcher.group(5)),
                matcher.group(6));
    }

    /** Whose event it is: one life of one process. */
    String life() {
        return node + "#" + incarnation;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.6f s %s %s %d %s", nanos / 1e9, life(), kind, number, text)
                .strip();
    }
}
