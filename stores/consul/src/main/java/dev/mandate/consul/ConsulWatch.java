package dev.mandate.consul;

import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.HintDelivery;
import dev.mandate.support.Interest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One watch of all elections by blocking queries: one per followed key while they are few, else one for all elections.
 * A query for one key costs a connection and wakes for that key only. A query for all wakes for every key and returns
 * all of them.
 *
 * <p>A query's first answer shows the present state, each later one what has changed since. So nothing is missed for
 * good, whatever fails in between. Everything except reading bodies runs on the store's timer thread.
 */
final class ConsulWatch implements Subscription {
    /** Above this many keys, one query covers all. */
    static final int KEYS_MAX = 50;

    /** A client that opens a watch reads its first key about then. */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often to look for keys that are no longer followed. */
    private static final long REVIEW_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ConsulHttp http;
    private final Records records;
    private final Interest interest;
    private final HintDelivery delivery;
    private final AtomicBoolean isChoosing = new AtomicBoolean();

    /** Whether so many keys are followed that one more makes no difference. */
    private volatile boolean isForMany;

    // Used only on the timer's thread.
    private final Map<RecordKey, KeyQuery> byKey = new HashMap<>();
    private @Nullable PrefixQuery all;

    ConsulWatch(ConsulHttp http, Records records, Interest interest, Consumer<Hint> hints) {
        this.http = http;
        this.records = records;
        this.interest = interest;
        this.delivery = new HintDelivery(hints);
    }

    void start() {
        http.later(this::review, SETTLING_NANOS);
    }

    /** A new key is followed. On any thread; most of many calls in a row cost nothing. */
    void interestChanged() {
        if (!isForMany && isChoosing.compareAndSet(false, true)) {
            http.later(this::choose, 0);
        }
    }

    private void review() {
        if (!delivery.isClosed()) {
            choose();
            http.later(this::review, REVIEW_NANOS);
        }
    }

    private void choose() {
        isChoosing.set(false);
        if (delivery.isClosed()) {
            end();
            return;
        }
        Set<RecordKey> followed = interest.below(RecordKey.elections());
        isForMany = followed.size() > KEYS_MAX;
        if (followed.isEmpty() || followed.size() > KEYS_MAX) {
            byKey.values().forEach(BlockingQuery::end);
            byKey.clear();
            if (all == null) {
                all = PrefixQuery.of(interest, http, records, RecordKey.elections(), delivery::deliver);
                all.start();
            }
            return;
        }
        PrefixQuery former = all;
        all = null;
        if (former != null) {
            former.end();
        }
        byKey.entrySet().removeIf(entry -> {
            boolean isLeft = !followed.contains(entry.getKey());
            if (isLeft) {
                entry.getValue().end();
            }
            return isLeft;
        });
        for (RecordKey key : followed) {
            if (!byKey.containsKey(key)) {
                KeyQuery query = new KeyQuery(http, records, key, delivery::deliver);
                byKey.put(key, query);
                query.start();
            }
        }
    }

    private void end() {
        byKey.values().forEach(BlockingQuery::end);
        byKey.clear();
        PrefixQuery last = all;
        all = null;
        if (last != null) {
            last.end();
        }
    }

    @Override
    public void close() {
        delivery.close();
        http.later(this::end, 0);
    }
}
