package dev.mandate.http.page;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import dev.mandate.memory.MemoryFaults;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in memory, those who stand in its elections, what serves them, and a tab that shows them. */
final class Stage implements AutoCloseable {
    private static final Duration PLENTY = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final MemoryFaults faults;
    Tab tab;
    private final String url;
    private final ElectionClient server;
    private final Map<String, ElectionClient> candidates = new LinkedHashMap<>();
    private final List<Leadership> leaderships = new ArrayList<>();
    private MandateHttp http;

    /** With a lease that holds on a busy machine. */
    Stage() throws IOException {
        this("30s");
    }

    /** @param lease after which a store that is away makes a view stale */
    Stage(String lease) throws IOException {
        tab = Tab.open();
        String name = "stage-" + NUMBER.incrementAndGet();
        url = "memory:" + name + "?lease=" + lease;
        faults = MemoryFaults.of(name);
        server = ElectionClient.connect(url + "&as=server");
        http = MandateHttp.serve(server, HttpOptions.DEFAULTS.withPort(0));
    }

    /** The client of a candidate, under its name. */
    ElectionClient candidate(String id) {
        return candidates.computeIfAbsent(
                id,
                none -> ElectionClient.builder(url + "&as=candidate-" + candidates.size())
                        .candidate(id)
                        .connect());
    }

    /** Who waits there queues. */
    ElectionClient queued(String id) {
        return candidates.computeIfAbsent(
                id,
                none -> ElectionClient.builder(url + "&order=arrival&as=candidate-" + candidates.size())
                        .candidate(id)
                        .connect());
    }

    Leadership lead(String candidate, String election, String value) throws InterruptedException {
        return lead(candidate(candidate), election, value);
    }

    Leadership lead(ElectionClient candidate, String election, String value) throws InterruptedException {
        Leadership leadership =
                candidate.election(election).campaign(value, PLENTY).orElseThrow();
        leaderships.add(leadership);
        return leadership;
    }

    /** Has one candidate lead this many elections, {@code PREFIX0} and on. */
    void leadMany(String candidate, String prefix, int count) throws Exception {
        var all = java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> candidate(candidate)
                        .election(prefix + i)
                        .campaignAsync("10.0.0." + i % 250 + ":8080")
                        .toCompletableFuture())
                .toList();
        for (var each : all) {
            leaderships.add(each.get(PLENTY.toSeconds(), TimeUnit.SECONDS));
        }
    }

    /** Another tab instead of the last one. */
    void newTab() throws IOException {
        tab.close();
        tab = Tab.open();
    }

    /** Where the page is. */
    URI uri() {
        return http.uri();
    }

    /** Opens the page and waits until it is current. */
    void open() {
        open("");
    }

    void open(String query) {
        tab.go(http.uri().resolve("/" + query));
        tab.await("a current page", "document.body?.dataset.trust === 'current'");
    }

    /** The server of the page goes away. */
    void stopServing() {
        http.close();
    }

    /** It comes back where it was. */
    void serveAgain() throws IOException {
        http = MandateHttp.serve(
                server, HttpOptions.DEFAULTS.withPort(http.uri().getPort()));
    }

    /** A row of a section as text, its cells separated by a bar; empty if there is none. */
    String row(String section, String name) {
        return tab.text("[...document.querySelectorAll('#" + section + " tbody tr:not([hidden])')]"
                + ".filter(row => row.querySelector('.name').textContent === " + quoted(name)
                + ").map(row => [...row.cells].map(cell => cell.textContent).join('|'))[0] ?? ''");
    }

    void awaitRow(String section, String name, String part) {
        tab.await(
                "a row of " + name + " with '" + part + "'",
                "[...document.querySelectorAll('#" + section + " tbody tr:not([hidden])')].some(row =>"
                        + " row.querySelector('.name').textContent === " + quoted(name)
                        + " && row.textContent.includes(" + quoted(part) + "))");
    }

    /** A string of the page's language. */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(c -> out.append(String.format("\\u%04x", c)));
        return out.append('"').toString();
    }

    @Override
    public void close() {
        tab.close();
        http.close();
        faults.heal();
        // Nobody waits then for work to end.
        leaderships.forEach(Leadership::close);
        candidates.values().forEach(ElectionClient::close);
        server.close();
        faults.close();
    }
}
