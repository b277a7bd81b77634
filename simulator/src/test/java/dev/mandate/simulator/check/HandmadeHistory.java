package dev.mandate.simulator.check;

import java.util.function.Consumer;

/** What {@link HandmadeHistoriesTest} makes up; {@code broken} is null if all of it is right. */
record HandmadeHistory(Invariant broken, String words, Consumer<Judge> events) {
    @Override
    public String toString() {
        return (broken == null ? "fine" : broken) + ": " + words;
    }
}
