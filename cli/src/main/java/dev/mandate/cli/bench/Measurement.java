package dev.mandate.cli.bench;

import java.util.List;
import java.util.function.Consumer;

/** Something that can be measured of a store. */
interface Measurement {
    /** How {@code --only} calls it. */
    String name();

    /**
     * Measures. Blocks, bounded.
     *
     * @param progress is told, now and then, how far it is
     */
    List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException;
}
