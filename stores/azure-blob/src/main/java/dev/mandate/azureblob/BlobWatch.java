package dev.mandate.azureblob;

import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Hint;
import dev.mandate.spi.HintDelivery;
import dev.mandate.spi.Interest;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * One watch: looks at what is followed, every so often, and tells what differs from the last time. Few blobs are looked at one by one, many, or
 * those of a client that follows none yet, by a listing. Rounds never overlap, and one that fails changes nothing: the next one tells all
 * that differs by then.
 */
final class BlobWatch implements Subscription {
    /** Above this, a listing costs less. */
    static final int KEYS_MAX = 8;

    /** What is beyond so many pages of a listing is not told; whoever follows it polls. */
    private static final int PAGES_MAX = 40;

    /** More changes than this at once are told as one gap. */
    private static final int HINTS_MAX = 2_000;

    private static final Duration ROUND = Duration.ofSeconds(10);
    private static final int JITTER_PERCENT = 20;

    private final Exchanges exchanges;
    private final Reader reader;
    private final Interest interest;
    private final long everyNanos;
    private final RecordKey prefix;
    private final HintDelivery delivery;

    /** What was told last. One round at a time. */
    private Map<RecordKey, Basis> told = new HashMap<>();

    BlobWatch(
            Exchanges exchanges,
            Reader reader,
            Interest interest,
            Duration every,
            RecordKey prefix,
            Consumer<Hint> hints) {
        this.exchanges = exchanges;
        this.reader = reader;
        this.interest = interest;
        this.everyNanos = every.toNanos();
        this.prefix = prefix;
        this.delivery = new HintDelivery(hints);
    }

    void start() {
        next();
    }

    private void next() {
        long spread = everyNanos * JITTER_PERCENT / 100;
        long pause = everyNanos - spread + ThreadLocalRandom.current().nextLong(2 * spread + 1);
        exchanges.later(this::round, pause);
    }

    private void round() {
        if (delivery.isClosed()) {
            return;
        }
        var unused = looks().handle((looked, why) -> {
            try {
                if (why == null) {
                    tell(looked.seen(), looked.isWhole());
                }
            } finally {
                next();
            }
            return why == null;
        });
    }

    /** Whatever goes wrong in the midst of it, there is a next round. */
    private CompletableFuture<Round> looks() {
        try {
            Set<RecordKey> followed = interest.below(prefix);
            boolean isForAll = followed.isEmpty() || followed.size() > KEYS_MAX;
            CallContext call = CallContext.within(ROUND);
            return isForAll ? listed(call) : lookedAt(followed, call);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * What was looked at.
     *
     * @param isWhole whether what is not among it does not exist
     */
    private record Round(List<Reader.Seen> seen, boolean isWhole) {}

    private CompletableFuture<Round> lookedAt(Set<RecordKey> followed, CallContext call) {
        List<CompletableFuture<Reader.Seen>> looks = new ArrayList<>();
        for (RecordKey key : followed) {
            looks.add(reader.look(key, false, call).thenApply(look -> new Reader.Seen(key, look)));
        }
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        new Round(looks.stream().map(CompletableFuture::join).toList(), false));
    }

    private CompletableFuture<Round> listed(CallContext call) {
        return listed(Cursor.START, new ArrayList<>(), 1, call);
    }

    private CompletableFuture<Round> listed(Cursor from, List<Reader.Seen> all, int number, CallContext call) {
        return reader.looks(prefix, from.opaque(), call).thenCompose((Page<Reader.Seen> page) -> {
            all.addAll(page.items());
            return page.next().isPresent() && number < PAGES_MAX && !delivery.isClosed()
                    ? listed(page.next().get(), all, number + 1, call)
                    : CompletableFuture.completedFuture(
                            new Round(all, page.next().isEmpty()));
        });
    }

    private void tell(List<Reader.Seen> looks, boolean isWhole) {
        Map<RecordKey, Basis> now = new HashMap<>();
        List<Observation> news = new ArrayList<>();
        for (Reader.Seen seen : looks) {
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
                            () -> {
                                if (before != null) {
                                    now.put(key, before);
                                }
                            });
        }
        if (isWhole) {
            told.keySet().stream()
                    .filter(key -> !now.containsKey(key))
                    .forEach(gone -> news.add(Records.observe(gone, Look.NOTHING, false)));
        }
        if (news.size() > HINTS_MAX) {
            delivery.deliver(Hint.Gap.INSTANCE);
            told = now;
            return;
        }
        for (Observation observation : news) {
            delivery.deliver(new Hint.Seen(observation));
        }
        // Noted down once it is told: what could not be told is told again.
        told = now;
    }

    /** Nothing is told after this returned. Idempotent. */
    @Override
    public void close() {
        delivery.close();
    }
}
