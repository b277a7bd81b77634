package dev.mandate.demo;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The live page beside the demo, on a free port of this machine. */
final class DemoPage implements AutoCloseable {
    /** How long a browser may take to open it. */
    static final Duration OPENING = Duration.ofSeconds(30);
    /** How long it stays open for its readers. */
    static final Duration STAYING = Duration.ofMinutes(10);

    private static final long LOOK_MILLIS = 50;

    private final ElectionClient client;
    private final MandateHttp http;

    private DemoPage(ElectionClient client, MandateHttp http) {
        this.client = client;
        this.http = http;
    }

    /**
     * Follows the store and serves the page.
     *
     * @throws Failure if it cannot be served
     */
    static DemoPage open(StoreAddress store, Duration lease) {
        // A group answers only once its members run.
        ElectionClient client =
                store.client().lease(lease).connectTimeout(Duration.ZERO).connect();
        try {
            return new DemoPage(client, MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0)));
        } catch (IOException e) {
            client.close();
            throw new Failure(ExitCode.SETUP, String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** The URL of the page. */
    String url() {
        return http.uri().toString();
    }

    /** Waits until somebody opens the page, for {@link #OPENING} at most. */
    void awaitReader() throws InterruptedException {
        await(OPENING, () -> http.streams() > 0);
    }

    /** Whether somebody has the page open. */
    boolean isRead() {
        return http.streams() > 0;
    }

    /** Waits until nobody has the page open any more, for {@link #STAYING} at most. */
    void awaitLastReader() throws InterruptedException {
        await(STAYING, () -> http.streams() == 0);
    }

    private static void await(Duration atMost, BooleanSupplier isDone) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!isDone.getAsBoolean() && System.nanoTime() - deadline < 0) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    @Override
    public void close() {
        http.close();
        client.close();
    }
}
