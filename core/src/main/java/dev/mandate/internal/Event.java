package dev.mandate.internal;

import dev.mandate.engine.Now;

/** Something to be done on the loop. */
@FunctionalInterface
interface Event {
    void on(Now now);
}
