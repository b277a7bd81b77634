package dev.mandate.consul;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Ration;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.support.HintDelivery;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The watches of one store below any prefix but that of all elections. They report every key.
 *
 * <p>Each prefix costs one blocking query, and so one connection; a watch below another one's prefix shares that query.
 * A query returns all records below its prefix whenever one changes, and once a minute. Above {@value #QUERIES_MAX}
 * prefixes of one space, a single query for the whole space replaces them.
 *
 * <p>A query's first answer is reported as a gap, because nothing else shows what vanished since the watch was opened.
 * Everything except reading bodies runs on the store's timer thread.
 */
final class PrefixWatches {
    /** Per space. An agent accepts 200 connections from one address, for all processes there. */
    static final int QUERIES_MAX = 16;

    private static final System.Logger LOG = System.getLogger(PrefixWatches.class.getName());

    private record Watch(RecordKey prefix, HintDelivery delivery) {}

    private final ConsulHttp http;
    private final Records records;
    private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isChoosing = new AtomicBoolean();

    // Used only on the timer's thread.
    private final Map<RecordKey, PrefixQuery> queries = new HashMap<>();

    private final Ration failures = new Ration(TimeUnit.MINUTES.toNanos(1));

    PrefixWatches(ConsulHttp http, Records records) {
        this.http = http;
        this.records = records;
    }

    Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        // Rejects an invalid prefix now.
        records.keys().start(prefix);
        Watch watch = new Watch(prefix, new HintDelivery(hints));
        watches.add(watch);
        chooseSoon();
        return () -> {
            watches.remove(watch);
            watch.delivery.close();
            chooseSoon();
        };
    }

    /** No hint is delivered after this has returned. The queries end with the store's connections. */
    void close() {
        watches.forEach(watch -> watch.delivery.close());
        watches.clear();
    }

    private void chooseSoon() {
        if (isChoosing.compareAndSet(false, true)) {
            http.later(this::choose, 0);
        }
    }

    private void choose() {
        isChoosing.set(false);
        Set<RecordKey> prefixes = new HashSet<>();
        watches.forEach(watch -> prefixes.add(watch.prefix));
        Set<RecordKey> wanted = asked(prefixes);
        queries.entrySet().removeIf(entry -> {
            boolean isLeft = !wanted.contains(entry.getKey());
            if (isLeft) {
                entry.getValue().end();
            }
            return isLeft;
        });
        for (RecordKey prefix : wanted) {
            if (!queries.containsKey(prefix)) {
                PrefixQuery query = PrefixQuery.ofAll(http, records, prefix, hint -> tell(prefix, hint));
                queries.put(prefix, query);
                query.start();
            }
        }
    }

    /** The prefixes to query so that nothing below {@code watched} is missed. */
    static Set<RecordKey> asked(Set<RecordKey> watched) {
        Map<String, Set<RecordKey>> bySpace = new HashMap<>();
        for (RecordKey prefix : watched) {
            if (!isBelowAnother(prefix, watched)) {
                bySpace.computeIfAbsent(prefix.space(), space -> new HashSet<>())
                        .add(prefix);
            }
        }
        Set<RecordKey> asked = new HashSet<>();
        bySpace.forEach((space, prefixes) ->
                asked.addAll(prefixes.size() > QUERIES_MAX ? Set.of(new RecordKey(space, List.of())) : prefixes));
        return asked;
    }

    private static boolean isBelowAnother(RecordKey prefix, Set<RecordKey> others) {
        for (int length = 0; length < prefix.segments().size(); length++) {
            if (others.contains(new RecordKey(prefix.space(), prefix.segments().subList(0, length)))) {
                return true;
            }
        }
        return false;
    }

    private void tell(RecordKey asked, Hint hint) {
        for (Watch watch : watches) {
            boolean isMeant = hint instanceof Hint.Seen seen
                    ? seen.observation().key().isBelow(watch.prefix)
                    : watch.prefix.isBelow(asked);
            if (isMeant) {
                deliver(watch, hint);
            }
        }
    }

    private void deliver(Watch watch, Hint hint) {
        try {
            watch.delivery.deliver(hint);
        } catch (RuntimeException | Error e) {
            if (failures.happened(System.nanoTime()) > 0) {
                LOG.log(Level.WARNING, http.name() + ": a consumer of hints below " + watch.prefix + " failed", e);
            }
        }
    }
}
