package dev.mandate.examples.legacy;

import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The work of the leader: read new events, queue them, read again.
 *
 * <p>Anything may happen between the read and the write, even a pause of minutes, and no check of {@link
 * Leadership#isValid()} can rule that out. The token sent with the write keeps a late write out.
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
     * @param read receives the number of events read, before they are queued
     * @param queued receives the number of events queued
     */
    public LegacyPoller(LegacyTable table, Outbox outbox, IntConsumer read, IntConsumer queued) {
        this.table = table;
        this.outbox = outbox;
        this.read = read;
        this.queued = queued;
    }

    @Override
    public void run(Leadership leadership) throws Exception {
        // Confirmed before the first read: from here on, nothing from an older leader is accepted.
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
