package dev.mandate.examples.legacy;

import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The work of the leader: look for new events, queue them, look again.
 *
 * <p>Between the look and the write anything may happen, a pause of minutes included, and no check of {@link Leadership#isValid()} can rule that
 * out. What does is the token, which goes along with the write.
 */
public final class LegacyPoller implements LeaderTask {
    private static final long PAUSE_MILLIS = 200;

    private final LegacyTable table;
    private final Outbox outbox;
    private final IntConsumer read;
    private final IntConsumer queued;

    /**
     * A poller from {@code table} to {@code outbox}.
     *
     * @param read told how many events were read, before they are queued
     * @param queued told how many events were queued
     */
    public LegacyPoller(LegacyTable table, Outbox outbox, IntConsumer read, IntConsumer queued) {
        this.table = table;
        this.outbox = outbox;
        this.read = read;
        this.queued = queued;
    }

    @Override
    public void run(Leadership leadership) throws Exception {
        // Confirmed before the first look: from here on nothing of an older leader is let in.
        outbox.begin(leadership.fencingToken());
        while (leadership.isValid()) {
            List<Event> events = table.after(outbox.newest());
            if (events.isEmpty()) {
                Thread.sleep(PAUSE_MILLIS);
                continue;
            }
            read.accept(events.size());
            outbox.put(leadership.fencingToken(), events);
            queued.accept(events.size());
        }
    }
}
