package dev.mandate.simulator.world;

import java.util.ArrayDeque;
import java.util.Locale;

/** The last lines of a schedule, for people. Kept only when a failing seed is run again. */
public final class Transcript {
    private final int linesMax;
    private final ArrayDeque<String> lines = new ArrayDeque<>();

    /** Keeps the last {@code linesMax} lines. */
    public Transcript(int linesMax) {
        this.linesMax = linesMax;
    }

    /** Adds what happened at a true time in nanoseconds. */
    public void add(long at, String line) {
        if (lines.size() >= linesMax) {
            lines.pollFirst();
        }
        if (linesMax == 0) {
            return;
        }
        lines.add(String.format(Locale.ROOT, "%12.6f  %s", at / 1e9, line));
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
