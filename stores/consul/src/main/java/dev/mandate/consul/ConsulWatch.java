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
 * One watch of all elections, made of blocking queries: one for each key that is followed while they are few, and one
 * for all elections otherwise. A query for one key costs a connection, and wakes for that key alone; one for all wakes
 * for each of them and brings them all.
 *
 * <p>Each query shows the present state when it is first answered, and then whatever differs from what it showed last, so nothing is missed
 * for good, whatever fails in between. All happens on the timer's thread of the store but reading bodies.
 */
final class ConsulWatch implements Subscription {
    /** Above this, one query for all. */
    static final int KEYS_MAX = 50;

    /** Whoever opens a watch reads its first key about now. */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often it is looked for keys that nobody follows any more. */
    private static final long REVIEW_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ConsulHttp http;
    private final Records records;
    private final Interest interest;
    private final HintDelivery delivery;
    private final AtomicBoolean isChoosing = new AtomicBoolean();

    /** So many keys are followed that one more makes no difference. */
    private volatile boolean isForMany;

    // On the timer's thread alone.
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

    /** A key is followed that was not. On any thread; of many in a row, most cost nothing. */
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
