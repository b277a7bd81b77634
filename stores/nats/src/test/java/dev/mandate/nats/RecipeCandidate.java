package dev.mandate.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.KeyValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A candidate as the recipe in Go describes it: it starts after a random part of its interval, three quarters of the
 * bucket's time to live, and campaigns by {@code create}, less and less often while others lead. It says that it won an
 * interval later, and keeps the key by {@code update} with its last revision, once an interval. One update that fails
 * is a loss, and it campaigns eagerly again. What stops leaves its key behind.
 *
 * <p>Only the recipe's limit of 30 s for the time to live is left out. A thread of its own campaigns.
 */
final class RecipeCandidate implements AutoCloseable {
    private static final int BACK_OFFS = 4;
    private static final Duration JOIN = Duration.ofSeconds(20);

    private final Operator operator;
    private final KeyValue bucket;
    private final String key;
    private final byte[] name;
    private final long intervalNanos;
    private final List<Win> wins = new CopyOnWriteArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    /** What follows belongs to the thread. */
    private Win win;

    private long revision;
    private int tries;

    RecipeCandidate(int port, String bucket, String key, String name) throws Exception {
        this.operator = new Operator(port, bucket);
        this.bucket = operator.kv();
        this.key = key;
        this.name = name.getBytes(StandardCharsets.UTF_8);
        this.intervalNanos = operator.connection
                        .keyValueManagement()
                        .getStatus(bucket)
                        .getTtl()
                        .toNanos()
                * 3
                / 4;
        this.thread = new Thread(this::campaign, "recipe " + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A lead that was won: believed from an interval later until it is over, and never again. */
    static final class Win {
        private final long announcedNanos;
        private volatile boolean isOver;

        private Win(long announcedNanos) {
            this.announcedNanos = announcedNanos;
        }

        boolean isBelieved() {
            return !isOver && System.nanoTime() - announcedNanos >= 0;
        }
    }

    /** Every lead that was won so far. */
    List<Win> wins() {
        return wins;
    }

    boolean leads() {
        return wins.stream().anyMatch(Win::isBelieved);
    }

    private void campaign() {
        try {
            long pause = ThreadLocalRandom.current().nextLong(intervalNanos);
            while (!stopped.await(pause, TimeUnit.NANOSECONDS)) {
                pause = turn();
            }
        } catch (InterruptedException e) {
            // Only die() interrupts.
        }
    }

    /** Campaigns, or keeps what was won; returns the pause until the next turn. */
    private long turn() {
        boolean isLeader = win != null;
        try {
            if (isLeader) {
                revision = bucket.update(key, name, revision);
            } else {
                revision = bucket.create(key, name);
                win = new Win(System.nanoTime() + intervalNanos);
                wins.add(win);
            }
            tries = 0;
            return intervalNanos;
        } catch (IOException | JetStreamApiException | RuntimeException e) {
            if (isLeader) {
                win.isOver = true;
                win = null;
            }
            tries = isLeader ? 0 : Math.min(tries + 1, BACK_OFFS);
            return intervalNanos >> (BACK_OFFS - tries);
        }
    }

    /** It is killed: it believes nothing any more, and its key stays until it expires. */
    void die() throws InterruptedException {
        wins.forEach(each -> each.isOver = true);
        stopped.countDown();
        thread.interrupt();
        thread.join(JOIN.toMillis());
        wins.forEach(each -> each.isOver = true);
    }

    @Override
    public void close() throws InterruptedException {
        die();
        operator.close();
    }
}
