package dev.mandate.azureblob;

import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.HintDelivery;
import dev.mandate.support.Interest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watch that polls, and reports what changed since the last round. Rounds never overlap. A failed round changes
 * nothing: the next one reports all changes by then.
 *
 * <p>A watch of elections reads only the followed ones, unless all are asked for: few blobs one by one; many, or all
 * while none is followed yet, by a listing.
 *
 * <p>Any other watch lists every blob below its prefix, less often, because a listing costs several times as much as a
 * read. A round requests pages of 250 blobs, one after the other. The next round follows after
 * {@value #LISTING_INTERVALS} intervals, or one per page if there were more pages: on average at most one request per
 * interval. The first round reports a gap, because nothing else shows what vanished before it. So does every round of
 * more than {@value #PAGES_MAX} pages.
 */
final class BlobWatch implements Subscription {
    /** Above this number of keys, a listing costs less. */
    static final int KEYS_MAX = 8;

    /** A round ends after this many pages; the rest is not reported, and its followers poll. */
    static final int PAGES_MAX = 40;

    /** With the default interval, 5 s: a third of the shortest lease. */
    private static final int LISTING_INTERVALS = 5;

    /** More changes than this at once are reported as one gap. */
    private static final int HINTS_MAX = 2_000;

    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int JITTER_PERCENT = 20;

    private final Exchanges exchanges;
    private final Reader reader;
    private final Interest interest;
    private final long everyNanos;
    private final RecordKey prefix;
    private final HintDelivery delivery;

    /** Whether all keys are watched, not only followed ones. */
    private final boolean isOfAll;

    // One round at a time.
    /** What was last reported; null for a blob not reported yet because its record was about to be written. */
    private Map<RecordKey, @Nullable Basis> told = new HashMap<>();

    private boolean isFirst = true;

    BlobWatch(
            Exchanges exchanges,
            Reader reader,
            Interest interest,
            Duration every,
            RecordKey prefix,
            boolean isOfAll,
            Consumer<Hint> hints) {
        this.exchanges = exchanges;
        this.reader = reader;
        this.interest = interest;
        this.everyNanos = every.toNanos();
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
        this.isOfAll = isOfAll;
    }

    void start() {
        if (isOfAll) {
            exchanges.later(this::round, 0);
        } else {
            next(1);
        }
    }

    private void next(int pages) {
        long pauseNanos = everyNanos * (isOfAll ? Math.max(LISTING_INTERVALS, pages) : 1);
        long spread = pauseNanos * JITTER_PERCENT / 100;
        exchanges.later(
                this::round, pauseNanos - spread + ThreadLocalRandom.current().nextLong(2 * spread + 1));
    }

    private void round() {
        if (delivery.isClosed()) {
            return;
        }
        var unused = looks().handle((looked, why) -> {
            try {
                if (why == null) {
                    tell(looked);
                }
            } finally {
                next(looked == null ? 1 : looked.pages());
            }
            return why == null;
        });
    }

    /** Failures end up in the stage, so that there is always a next round. */
    private CompletableFuture<Round> looks() {
        try {
            Set<RecordKey> followed = interest.below(prefix);
            boolean isListed = isOfAll || followed.isEmpty() || followed.size() > KEYS_MAX;
            return isListed ? listed(Cursor.START, new ArrayList<>(), 1) : lookedAt(followed);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * What a round read.
     *
     * @param pages the number of pages listed
     * @param isWhole whether all other keys do not exist
     */
    private record Round(List<Reader.Seen> seen, int pages, boolean isWhole) {}

    private CompletableFuture<Round> lookedAt(Set<RecordKey> followed) {
        CallContext call = CallContext.within(ANSWER);
        List<CompletableFuture<Reader.Seen>> looks = new ArrayList<>();
        for (RecordKey key : followed) {
            looks.add(reader.look(key, false, call).thenApply(look -> new Reader.Seen(key, look)));
        }
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        new Round(looks.stream().map(CompletableFuture::join).toList(), 0, false));
    }

    private CompletableFuture<Round> listed(Cursor from, List<Reader.Seen> all, int number) {
        return reader.looks(prefix, from.opaque(), CallContext.within(ANSWER)).thenCompose((Page<Reader.Seen> page) -> {
            all.addAll(page.items());
            return page.next().isPresent() && number < PAGES_MAX && !delivery.isClosed()
                    ? listed(page.next().get(), all, number + 1)
                    : CompletableFuture.completedFuture(
                            new Round(all, number, page.next().isEmpty()));
        });
    }

    private void tell(Round round) {
        Map<RecordKey, @Nullable Basis> now = new HashMap<>();
        List<Observation> news = new ArrayList<>();
        for (Reader.Seen seen : round.seen()) {
            RecordKey key = interest.same(seen.key());
            Basis before = told.get(key);
            reader.news(key, seen.look())
                    .ifPresentOrElse(
                            observation -> {
                                now.put(key, observation.basis());
                                if (!observation.basis().equals(before)) {
                                    news.add(observation);
                                }
                            },
                            () -> now.put(key, before));
        }
        if (round.isWhole()) {
            told.keySet().stream()
                    .filter(key -> !now.containsKey(key))
                    .forEach(gone -> news.add(Records.observe(gone, Look.NOTHING, false)));
        }
        boolean isGap = news.size() > HINTS_MAX || isOfAll && (isFirst || !round.isWhole());
        if (isGap) {
            delivery.deliver(Hint.Gap.INSTANCE);
            news.clear();
        }
        for (Observation observation : news) {
            delivery.deliver(new Hint.Seen(observation));
        }
        // Noted only after delivery, so that undelivered hints are repeated.
        told = now;
        isFirst = false;
    }

    /** No hint is delivered after this has returned. Idempotent. */
    @Override
    public void close() {
        delivery.close();
    }
}
