package dev.mandate.examples.workers;

import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import dev.mandate.examples.legacy.Event;
import dev.mandate.examples.legacy.LegacyTable;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The leader's work: polls the legacy table and assigns each event to one of the registered workers. */
final class Dispatcher implements LeaderTask {
    private static final long PAUSE_MILLIS = 20;

    private final LegacyTable table;
    private final WorkQueue queue;
    private final ServiceWatch workers;

    Dispatcher(LegacyTable table, WorkQueue queue, ServiceWatch workers) {
        this.table = table;
        this.queue = queue;
        this.workers = workers;
    }

    @Override
    public void run(Leadership leadership) throws Exception {
        queue.begin(leadership.fencingToken());
        while (leadership.isValid()) {
            ServiceView view = workers.view();
            if (!view.passing().isEmpty()) {
                // Round robin: each call gives the next one.
                Supplier<String> next =
                        () -> workers.next().orElse(view.passing().get(0)).id();
                List<Event> events = table.after(queue.newest());
                if (!events.isEmpty()) {
                    queue.put(leadership.fencingToken(), events, next);
                }
                Set<String> live =
                        view.instances().stream().map(RegisteredInstance::id).collect(Collectors.toSet());
                queue.reassign(leadership.fencingToken(), live, next);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
