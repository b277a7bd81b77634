package dev.mandate.spring;

import dev.mandate.ElectionClient;
import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Begins the candidacies when the application has started, web server included, and ends them first of all when it
 * stops; with the schedulers, whose running calls it may have to interrupt.
 */
final class CampaignLifecycle implements SmartLifecycle {
    private final Campaigns campaigns;
    private final ObjectProvider<ElectionClient> client;
    private final MandateProperties properties;
    private volatile boolean isRunning;

    CampaignLifecycle(Campaigns campaigns, ObjectProvider<ElectionClient> client, MandateProperties properties) {
        this.campaigns = campaigns;
        this.client = client;
        this.properties = properties;
    }

    @Override
    public void start() {
        Duration grace = properties.getShutdownGrace();
        if (grace.isNegative() || grace.compareTo(Durations.MAX) > 0) {
            throw new MandateStartException(
                    "mandate.shutdown-grace is " + grace + ".", "Make it 0 or more, and at most 365 days.");
        }
        campaigns.startAll((each, isWanted) -> each.start(client(each), properties.getValue(), isWanted));
        isRunning = true;
    }

    private ElectionClient client(Campaign each) {
        ElectionClient found = client.getIfUnique();
        if (found == null) {
            throw new MandateStartException(
                    each.method() + " has @LeaderOnly, but there is no ElectionClient, or more than one.",
                    "Set mandate.url, for example mandate.url=sqlite:/var/lib/mandate.db, or define one bean.");
        }
        return found;
    }

    @Override
    public void stop(Runnable callback) {
        List<Campaign> ending = campaigns.stopAll();
        isRunning = false;
        AtomicInteger left = new AtomicInteger(ending.size());
        for (Campaign each : ending) {
            // All at once, and without holding up the other beans of this phase.
            Thread thread = new Thread(
                    () -> {
                        try {
                            each.stop(properties.getShutdownGrace());
                        } finally {
                            if (left.decrementAndGet() == 0) {
                                callback.run();
                            }
                        }
                    },
                    "mandate-stop-" + each.election());
            thread.setDaemon(true);
            thread.start();
        }
        if (ending.isEmpty()) {
            callback.run();
        }
    }

    @Override
    public void stop() {
        CountDownLatch stopped = new CountDownLatch(1);
        stop(stopped::countDown);
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
