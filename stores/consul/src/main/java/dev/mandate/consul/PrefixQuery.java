package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.Interest;
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
import org.jspecify.annotations.Nullable;

/**
 * Reports changes of all keys below a prefix. Every answer contains them all, so entries are checked as they arrive and
 * only changed ones are kept.
 */
final class PrefixQuery extends BlockingQuery {
    /** More changes than this at once are reported as one gap. */
    private static final int HINTS_MAX = 2_000;

    /** Beyond this many keys, names are not kept and every answer is reported as a gap. */
    private static final int KEYS_MAX = 100_000;

    private final Records records;
    private final @Nullable Interest interest;
    private final RecordKey prefix;
    private final AtomicLong bytes = new AtomicLong();

    /** The keys in the last answer. */
    private Set<RecordKey> known = Set.of();

    private boolean wasAnswered;
    private volatile Pass pass;

    private PrefixQuery(
            ConsulHttp http, Records records, @Nullable Interest interest, RecordKey prefix, Consumer<Hint> hints) {
        super(http, "watching all below " + prefix, hints);
        this.records = records;
        this.interest = interest;
        this.prefix = prefix;
        this.pass = new Pass(0, false);
    }

    /** Reports the keys of interest, or all while none is; the first answer reports those present. */
    static PrefixQuery of(Interest interest, ConsulHttp http, Records records, RecordKey prefix, Consumer<Hint> hints) {
        return new PrefixQuery(http, records, interest, prefix, hints);
    }

    /** Reports all keys; the first answer is reported as a gap. */
    static PrefixQuery ofAll(ConsulHttp http, Records records, RecordKey prefix, Consumer<Hint> hints) {
        return new PrefixQuery(http, records, null, prefix, hints);
    }

    /** The contents of one answer, filled while its body is read. */
    private final class Pass {
        private final long afterIndex;
        private final boolean isAnybodys;
        private boolean isTooMuch;
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
            RecordKey key = interest == null ? found.get() : interest.same(found.get());
            if (!isAnybodys && interest != null && !interest.contains(key)) {
                return;
            }
            boolean isChanged = entry.modifyIndex() > afterIndex;
            isTooMuch |= present.size() >= KEYS_MAX || isChanged && changed.size() >= HINTS_MAX;
            if (present.size() < KEYS_MAX) {
                present.add(key);
            }
            if (isChanged && !isTooMuch) {
                changed.put(key, entry);
            }
        }

        synchronized List<Hint> news(Set<RecordKey> before) {
            List<Hint> news = new ArrayList<>();
            changed.forEach((key, main) ->
                    news.add(new Hint.Seen(records.observe(key, main, beside.get(records.beside(main.path()))))));
            for (RecordKey key : before) {
                if (!present.contains(key)) {
                    news.add(new Hint.Seen(Records.vacant(key, 0)));
                }
            }
            // From now on only the names are needed.
            changed.clear();
            beside.clear();
            return isTooMuch || news.size() > HINTS_MAX ? List.of(Hint.Gap.INSTANCE) : news;
        }
    }

    @Override
    CompletionStage<Answer> ask(String query, long afterIndex, CallContext call) {
        // A first answer that is reported as a gap needs only the names.
        boolean isNamesOnly = interest == null && !wasAnswered;
        Pass next = new Pass(
                isNamesOnly ? Long.MAX_VALUE : afterIndex,
                interest == null || interest.below(prefix).isEmpty());
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
    List<Hint> news(Answer answer) {
        Pass last = pass;
        List<Hint> news = last.news(known);
        known = last.present;
        boolean isFirst = !wasAnswered;
        wasAnswered = true;
        return isFirst && interest == null ? List.of(Hint.Gap.INSTANCE) : news;
    }

    @Override
    long bytes() {
        return bytes.get();
    }
}
