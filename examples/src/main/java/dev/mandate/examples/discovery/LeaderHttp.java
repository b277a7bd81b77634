package dev.mandate.examples.discovery;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderResolver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Sends HTTP requests to the leader of an election, whose value is a URL. Sends a failed request again, perhaps to the
 * next leader, so use it for requests that may arrive twice.
 */
public final class LeaderHttp implements AutoCloseable {
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final LeaderResolver resolver;

    /** Follows {@code election}. */
    public LeaderHttp(Election election) {
        this.resolver = election.resolver();
    }

    /**
     * Returns the leader's answer.
     *
     * @throws IOException if no leader answered within {@code atMost}
     */
    public String get(String path, Duration atMost) throws IOException, InterruptedException {
        long until = System.nanoTime() + atMost.toNanos();
        while (true) {
            Leader leader = resolver.await(Duration.ofNanos(until - System.nanoTime()))
                    .orElseThrow(() -> new IOException("no leader answered within " + atMost));
            URI address = URI.create(leader.value()).resolve(path);
            HttpRequest request = HttpRequest.newBuilder(address)
                    .header("Fencing-Token", leader.token().toString()) // a server of another term may refuse it
                    .timeout(Duration.ofSeconds(5))
                    .build();
            try {
                return http.send(request, BodyHandlers.ofString()).body();
            } catch (IOException e) {
                resolver.failed(leader.token()); // asks the store again before anybody is given
            }
        }
    }

    @Override
    public void close() {
        resolver.close();
    }
}
