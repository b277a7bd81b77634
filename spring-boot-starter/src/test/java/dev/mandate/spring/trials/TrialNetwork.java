package dev.mandate.spring.trials;

import java.io.IOException;

/** How one application reaches its store, and how it loses it. */
interface TrialNetwork extends AutoCloseable {
    /** The store's URL, as seen from that application. */
    String url();

    /** From now on the store does not answer. */
    void cut() throws Exception;

    /** It answers again. */
    void heal() throws Exception;

    @Override
    void close() throws IOException;
}
