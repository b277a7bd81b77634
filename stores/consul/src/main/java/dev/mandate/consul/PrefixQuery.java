package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Interest;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Tells how all keys below a prefix change. Every answer brings them all, so they are looked at as they come in, and only what changed is
 * kept.
 */
final class PrefixQuery extends BlockingQuery {
    private final Records records;
    private final Interest interest;
    private final RecordKey prefix;
    private final AtomicLong bytes = new AtomicLong();

    /** The keys that were there when it was answered last. */
    private Set<RecordKey> known = Set.of();

    private volatile Pass pass;

    PrefixQuery(
            ConsulHttp http, Records records, Interest interest, RecordKey prefix, Consumer<List<Observation>> news) {
        super(http, "watching all below " + prefix, news);
        this.records = records;
        this.interest = interest;
        this.prefix = prefix;
        this.pass = new Pass(0, false);
    }

    /** What one answer brings, filled by whoever reads its body. */
    private final class Pass {
        private final long afterIndex;
        private final boolean isAnybodys;
        private final Set<RecordKey> present = new HashSet<>();
        private final Map<RecordKey, KvEntry> changed = new HashMap<>();
        private final Map<String, KvEntry> beside = new HashMap<>();

        Pass(long afterIndex, boolean isAnybodys) {
            this.afterIndex = afterIndex;
            this.isAnybodys = isAnybodys;
        }

        synchronized void take(KvEntry entry) {
            if (records.isBeside(entry.path())) {
                if (entry.modifyIndex() > afterIndex) {
                    beside.put(entry.path(), entry);
                }
                return;
            }
            Optional<RecordKey> found = records.keys().key(entry.path());
            if (found.isEmpty() || !found.get().isBelow(prefix)) {
                return;
            }
            RecordKey key = interest.same(found.get());
            if (isAnybodys || interest.contains(key)) {
                present.add(key);
                if (entry.modifyIndex() > afterIndex) {
                    changed.put(key, entry);
                }
            }
        }

        synchronized List<Observation> news(Set<RecordKey> before) {
            List<Observation> news = new ArrayList<>();
            changed.forEach(
                    (key, main) -> news.add(records.observe(key, main, beside.get(records.beside(main.path())))));
            for (RecordKey key : before) {
                if (!present.contains(key)) {
                    news.add(Records.vacant(key, 0));
                }
            }
            // Only the names are needed any more.
            changed.clear();
            beside.clear();
            return news;
        }
    }

    @Override
    CompletionStage<Answer> ask(String query, long afterIndex, CallContext call) {
        Pass next = new Pass(afterIndex, interest.below(prefix).isEmpty());
        pass = next;
        bytes.set(0);
        return http.stream(
                what,
                "kv/" + KvReader.encoded(records.keys().start(prefix)),
                query.isEmpty() ? "recurse" : "recurse&" + query,
                next::take,
                bytes::addAndGet,
                call);
    }

    @Override
    List<Observation> news(Answer answer) {
        Pass last = pass;
        List<Observation> news = last.news(known);
        known = last.present;
        return news;
    }

    @Override
    long bytes() {
        return bytes.get();
    }
}
