package dev.mandate.bench;

import java.util.List;
import java.util.function.Consumer;

/** A measurement of a store. */
interface Measurement {
    /** Its name for {@code --only}. */
    String name();

    /**
     * Measures. Blocks for a bounded time.
     *
     * @param progress receives a message now and then
     */
    List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException;
}
