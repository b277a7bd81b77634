package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Durations;
import dev.mandate.registry.Registration;
import dev.mandate.spi.LeaseScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What an idle client sends that holds many elections and many registrations. */
final class RenewalFigure implements Measurement {
    /** Sessions are renewed up to a tenth of L/3 early, at random. */
    private static final double MOST = 1 / 0.9;

    private static final int AT_A_TIME = 32;
    private static final int LEASES = 2;

    private final int elections;
    private final int registrations;
    private final @Nullable Duration during;

    /** @param during null for a few leases */
    RenewalFigure(int elections, int registrations, @Nullable Duration during) {
        this.elections = elections;
        this.registrations = registrations;
        this.during = during;
    }

    @Override
    public String name() {
        return "renewals";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        progress.accept("acquiring " + elections + " elections and registering " + registrations + " instances");
        Duration lease = target.explanation().lease();
        Duration time = during != null ? during : lease.multipliedBy(target.isQuick() ? 1 : LEASES);
        CountingStore store = CountingStore.of(target.store());
        try (ElectionClient client = target.client(store).splay(Duration.ZERO).connect()) {
            Leadership[] held = new Leadership[elections];
            Pipeline.run(
                    elections,
                    AT_A_TIME,
                    "an acquisition",
                    i -> client.election(target.election("renewals-" + i))
                            .campaignAsync("bench")
                            .thenAccept(won -> held[i] = won));
            List<Registration> registered = register(client, target.election("renewals"));
            // The first renewals are slow until the JVM has compiled them.
            Thread.sleep(lease.toMillis());
            progress.accept("holding them for " + Durations.words(time));
            Requests before = store.count();
            long began = System.nanoTime();
            Thread.sleep(time.toMillis());
            Requests asked = store.count().since(before);
            double seconds = (System.nanoTime() - began) / 1e9;
            long lost = Arrays.stream(held).filter(each -> !each.isValid()).count()
                    + registered.stream()
                            .filter(each -> !each.state().isRegistered())
                            .count();
            progress.accept("releasing them");
            registered.forEach(Registration::close);
            Pipeline.close(held);
            double thirds = seconds / (lease.toNanos() / 1e9 / 3);
            Figure renewals = Figure.of("renewals", asked.renewals() / thirds, "per L/3")
                    .noting(lost > 0 ? lost + " were lost meanwhile" : "L is " + Durations.words(lease));
            return List.of(
                    store.traits().leaseScope() == LeaseScope.SESSION ? renewals.within(MOST) : renewals,
                    Figure.of("renewals: requests", asked.all() / seconds, "per s")
                            .noting(elections + " elections and " + registrations + " registrations of one client, "
                                    + asked.reads() + " reads in " + Durations.words(time)));
        }
    }

    private List<Registration> register(ElectionClient client, String service) throws InterruptedException {
        List<Registration> registered = new ArrayList<>();
        for (int i = 0; i < registrations; i++) {
            registered.add(client.registry().register(service, SampleInstances.instance(i)));
        }
        RegistrantMain.awaitRegistered(registered);
        return registered;
    }
}
