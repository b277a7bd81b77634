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
 * Asks whoever leads an election, over HTTP: its value is a URL. A request that failed is sent again, perhaps to the
 * next leader, so this is for requests that may arrive twice.
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
     * What the leader answers.
     *
     * @throws IOException if no leader has answered by then
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
