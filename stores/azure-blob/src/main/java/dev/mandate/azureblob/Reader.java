package dev.mandate.azureblob;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.KeyTemplate;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Looks at blobs, and finds out whose records they are. */
final class Reader {
    /** How often it is looked again while somebody who has a lease is about to write its record. */
    private static final int LOOKS_MAX = 6;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final BlobConnection connection;
    private final KeyTemplate keys;
    private final Vacancies vacancies;
    private final Terms terms = new Terms();

    Reader(BlobConnection connection, KeyTemplate keys, Vacancies vacancies) {
        this.connection = connection;
        this.keys = keys;
        this.vacancies = vacancies;
    }

    CompletableFuture<Look> look(RecordKey key, boolean isUrgent, CallContext call) {
        return connection.look("reading " + key, keys.path(key), isUrgent, call);
    }

    /** What stands there, if need be after whoever is about to write has written. */
    CompletableFuture<Observation> read(RecordKey key, boolean isUrgent, CallContext call) {
        return read(key, isUrgent, 1, call);
    }

    private CompletableFuture<Observation> read(RecordKey key, boolean isUrgent, int number, CallContext call) {
        return look(key, isUrgent, call).thenCompose(look -> {
            long pauseNanos = FIRST_PAUSE_NANOS << (number - 1);
            boolean isTaken = vacancies.isTaken(key, look);
            if (isTaken && number < LOOKS_MAX && call.remaining().toNanos() > 2 * pauseNanos) {
                return after(pauseNanos).thenCompose(passed -> read(key, isUrgent, number + 1, call));
            }
            if (isTaken && number == LOOKS_MAX) {
                // Whoever took it died, or is no Mandate. Waited for once.
                vacancies.isKept(key, look);
            } else if (!isTaken) {
                vacancies.saw(key, look);
            }
            return CompletableFuture.completedFuture(observed(key, look));
        });
    }

    private Observation observed(RecordKey key, Look look) {
        Observation seen = Records.observe(key, look);
        if (seen instanceof Observation.Held held && !held.isForeign()) {
            terms.saw(key, held.term());
        } else if (seen.basis() instanceof FreeAt free && free.term() > 0) {
            terms.saw(key, free.term());
        }
        return seen;
    }

    /** The terms that were seen. */
    Terms terms() {
        return terms;
    }

    /** Never, if the store is closed before. */
    CompletableFuture<Boolean> after(long nanos) {
        CompletableFuture<Boolean> passed = new CompletableFuture<>();
        connection.exchanges().later(() -> passed.complete(true), nanos);
        return passed;
    }

    /** What a look that was made for news shows; empty while somebody is about to write. */
    Optional<Observation> news(RecordKey key, Look look) {
        if (vacancies.isTaken(key, look)) {
            return Optional.empty();
        }
        vacancies.saw(key, look);
        return Optional.of(observed(key, look));
    }

    /** A part of the listing of what stands at or below {@code prefix}. */
    CompletableFuture<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return looks(prefix, from.opaque(), call).thenApply(part -> {
            List<Observation> items = new ArrayList<>();
            part.items().forEach(seen -> items.add(Records.observe(seen.key(), seen.look())));
            return new Page<>(items, part.after());
        });
    }

    /** A key and what its blob showed. */
    record Seen(RecordKey key, Look look) {}

    CompletableFuture<Page<Seen>> looks(RecordKey prefix, String from, CallContext call) {
        return connection
                .list("listing " + prefix, keys.start(prefix), from, call)
                .thenApply(part -> {
                    List<Seen> items = new ArrayList<>();
                    for (BlobConnection.Listed listed : part.blobs()) {
                        keys.key(listed.path())
                                .filter(key -> key.isBelow(prefix))
                                .ifPresent(key -> items.add(new Seen(key, listed.look())));
                    }
                    return new Page<>(items, part.next().isEmpty() ? null : new Cursor(part.next()));
                });
    }
}
