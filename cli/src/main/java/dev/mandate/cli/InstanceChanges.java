package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.Json;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints a line for each change of a service's instances. */
final class InstanceChanges {
    private final Console console;
    private final String service;
    private final boolean passing;
    private final boolean json;
    private final FollowTime time;

    // Guarded by this.
    private ServiceView shown;
    private boolean isStale;
    private boolean hasAnswered;

    /** With {@code passing}, prints only instances that may be called; one that no longer may counts as removed. */
    InstanceChanges(Console console, String service, boolean passing, boolean json) {
        this.console = console;
        this.time = new FollowTime(console);
        this.service = service;
        this.passing = passing;
        this.json = json;
        this.shown = new ServiceView(service, List.of(), Duration.ZERO, true);
    }

    /** Follows until nobody reads the output any more, or {@code atMost} has passed. */
    void follow(ElectionClient client, @Nullable Duration atMost) throws InterruptedException {
        try (ServiceWatch watch = client.registry().watch(service, (now, changes) -> changed(now))) {
            time.await(atMost, () -> unanswered(watch.view()));
        }
    }

    private synchronized void unanswered(ServiceView now) {
        if (!hasAnswered) {
            isStale = true;
            show("stale", now, null);
        }
    }

    synchronized void changed(ServiceView now) {
        if (now.stale() && !hasAnswered) {
            // Nothing is known before the first answer; unanswered() reports if that takes long.
            return;
        }
        hasAnswered = true;
        if (now.stale() != isStale) {
            isStale = now.stale();
            show(isStale ? "stale" : "fresh", now, null);
        }
        ServiceView next = passing ? passing(now) : now;
        for (ServiceChange change : next.since(shown)) {
            show(change.kind().name().toLowerCase(Locale.ROOT), now, change.instance());
        }
        shown = next;
    }

    private void show(String event, ServiceView view, @Nullable RegisteredInstance instance) {
        String now = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
        if (json) {
            Json.print(console.out(), out -> {
                out.writeStringField("time", now);
                out.writeStringField("service", service);
                out.writeStringField("event", event);
                Json.seconds(out, "ageSeconds", view.age());
                if (instance != null) {
                    Json.object(out, "instance", item -> Json.instance(item, instance));
                }
            });
        } else {
            String what = instance != null
                    ? line(instance)
                    : event.equals("stale")
                            ? "no answer from the store for " + Durations.words(view.age())
                            : Leader.printable(service) + " is known again";
            console.out().println(now + "\t" + event + "\t" + what);
        }
        time.printed();
    }

    /** {@code view} with only the instances that may be called. */
    static ServiceView passing(ServiceView view) {
        return new ServiceView(view.service(), view.passing(), view.age(), view.stale());
    }

    /** The instance's fields, separated by tabs; no field contains a tab. */
    static String line(RegisteredInstance instance) {
        String metadata = instance.metadata().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(field -> field.getKey() + "=" + field.getValue())
                .collect(Collectors.joining(" "));
        return field(instance.id()) + "\t" + field(instance.address()) + "\t" + instance.status() + "\t"
                + (instance.verified() ? "live" : "unverified") + "\t" + field(metadata);
    }

    private static String field(String text) {
        return text.isEmpty() ? "-" : Leader.printable(text);
    }
}
