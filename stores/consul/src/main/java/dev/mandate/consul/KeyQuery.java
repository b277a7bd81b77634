package dev.mandate.consul;

import dev.mandate.spi.Basis;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.StoreCalls.Turn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports changes of one key. */
final class KeyQuery extends BlockingQuery {
    private final Records records;
    private final RecordKey key;
    private final String path;
    private @Nullable Basis told;

    KeyQuery(ConsulHttp http, Records records, RecordKey key, Consumer<Hint> hints) {
        super(http, "watching " + key, hints);
        this.records = records;
        this.key = key;
        this.path = records.path(key);
    }

    @Override
    CompletionStage<Answer> ask(String query, long afterIndex, CallContext call) {
        // The name of the key beside begins with this one's, so one answer shows both.
        String both = records.isRaw() ? (query.isEmpty() ? "recurse" : "recurse&" + query) : query;
        return http.get(what, "kv/" + KvReader.encoded(path), both, Turn.AT_ONCE, call);
    }

    @Override
    List<Hint> news(Answer answer) {
        try {
            List<KvEntry> entries = answer.isOk() ? KvStream.entries(answer.body()) : List.of();
            Observation seen = records.observe(key, named(entries, path), named(entries, records.beside(path)));
            if (seen.basis().equals(told)) {
                return List.of();
            }
            told = seen.basis();
            return List.of(new Hint.Seen(seen));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable KvEntry named(List<KvEntry> entries, String path) {
        return entries.stream()
                .filter(entry -> entry.path().equals(path))
                .findFirst()
                .orElse(null);
    }
}
