package dev.mandate.azureblob;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads blobs, and finds out whether a lease belongs to the record in the blob.
 *
 * <p>The service does not reveal a lease's id, but a read that names an id succeeds only if the lease has it. So a read
 * names the attempt of the record. If the lease is another one, the record's term has ended, and the holder is either a
 * Mandate candidate about to write its record or another program that keeps the lease.
 */
final class Reader {
    /** How long a read polls for the record of a new lease holder. */
    private static final long LOOKING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * A client that follows an election takes a new lease holder for a candidate until the lease in the record plus
     * this time has passed. A candidate that is slow, or died before it wrote its record, keeps the lease no longer and
     * must not pass for a foreign holder; another program renews. The first read of a key can't wait: it may be the
     * only one of a command.
     */
    private static final Duration LATE = Duration.ofSeconds(1);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int DOUBLINGS_MAX = 4;

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

    /** Who holds a lease. */
    private enum Holder {
        /** There is no lease, or no record of ours that it could belong to. */
        UNTOLD,
        OF_THE_RECORD,
        SOMEBODY_ELSE
    }

    private record Sight(Look look, Holder holder) {}

    /** Takes one request if the holder is still the same. */
    private CompletableFuture<Sight> sight(RecordKey key, boolean isUrgent, CallContext call) {
        String before = vacancies.ledBy(key);
        return before.isEmpty()
                ? sightAnew(key, isUrgent, call)
                : under(key, before, isUrgent, call).thenCompose(sight -> {
                    if (sight.isPresent()) {
                        return CompletableFuture.completedFuture(sight.get());
                    }
                    vacancies.isOver(key, before);
                    return sightAnew(key, isUrgent, call);
                });
    }

    private CompletableFuture<Sight> sightAnew(RecordKey key, boolean isUrgent, CallContext call) {
        return look(key, isUrgent, call).thenCompose(look -> {
            Optional<String> lease = vacancies.isKept(key, look) ? Optional.empty() : Records.leaseToKeep(look);
            return lease.isEmpty()
                    ? CompletableFuture.completedFuture(new Sight(look, Holder.UNTOLD))
                    : under(key, lease.get(), isUrgent, call)
                            .thenApply(sight -> sight.orElseGet(() -> new Sight(look, Holder.SOMEBODY_ELSE)));
        });
    }

    private CompletableFuture<Optional<Sight>> under(RecordKey key, String lease, boolean isUrgent, CallContext call) {
        return connection
                .lookUnder("reading " + key, keys.path(key), lease, isUrgent, call)
                .thenApply(seen -> seen.map(look -> new Sight(look, holder(look, lease))));
    }

    /** The holder, given that the blob has this lease. */
    private static Holder holder(Look look, String lease) {
        return Records.leaseToKeep(look)
                .map(own -> own.equals(lease) ? Holder.OF_THE_RECORD : Holder.SOMEBODY_ELSE)
                .orElse(Holder.UNTOLD);
    }

    /** Reads a key; waits a little for the record of a new lease holder. */
    CompletableFuture<Observation> read(RecordKey key, boolean isUrgent, CallContext call) {
        return read(key, isUrgent, 0, call);
    }

    private CompletableFuture<Observation> read(RecordKey key, boolean isUrgent, int doublings, CallContext call) {
        return sight(key, isUrgent, call).thenCompose(sight -> {
            Look look = sight.look;
            if (sight.holder == Holder.OF_THE_RECORD) {
                vacancies.isLed(key, look, Records.leaseToKeep(look).orElse(""));
                return CompletableFuture.completedFuture(observed(key, look, false));
            }
            boolean isTaken = sight.holder == Holder.SOMEBODY_ELSE || vacancies.isTaken(key, look);
            if (!isTaken) {
                vacancies.saw(key, look);
                return CompletableFuture.completedFuture(observed(key, look, vacancies.isKept(key, look)));
            }
            long takenNanos = vacancies.takenNanos(key, look);
            long pauseNanos = FIRST_PAUSE_NANOS << doublings;
            return takenNanos < LOOKING_NANOS && call.remaining().toNanos() > 2 * pauseNanos
                    ? after(pauseNanos)
                            .thenCompose(passed -> read(key, isUrgent, Math.min(DOUBLINGS_MAX, doublings + 1), call))
                    : CompletableFuture.completedFuture(withoutRecord(key, sight, takenNanos));
        });
    }

    /** The blob is leased, and the holder's record did not appear. */
    private Observation withoutRecord(RecordKey key, Sight sight, long takenNanos) {
        Look look = sight.look;
        boolean isCandidates = sight.holder == Holder.SOMEBODY_ELSE
                && !vacancies.isFirst(key, look)
                && takenNanos < Records.leaseOfRecord(look).plus(LATE).toNanos();
        if (isCandidates) {
            return observed(key, look.withoutLease(), false);
        }
        if (takenNanos >= LOOKING_NANOS) {
            vacancies.keeps(key, look);
        }
        return observed(key, look, true);
    }

    private Observation observed(RecordKey key, Look look, boolean isStrangers) {
        Observation seen = Records.observe(key, look, isStrangers);
        if (seen instanceof Observation.Held held && !held.isForeign()) {
            terms.saw(key, held.term());
        } else {
            terms.saw(key, Records.term(seen.basis()));
        }
        return seen;
    }

    /** The largest terms seen. */
    Terms terms() {
        return terms;
    }

    /** Completes after that time; never if the store is closed before. */
    CompletableFuture<Boolean> after(long nanos) {
        CompletableFuture<Boolean> passed = new CompletableFuture<>();
        connection.exchanges().later(() -> passed.complete(true), nanos);
        return passed;
    }

    /** What a read by a watch shows; empty while a new lease holder's record is still missing. */
    Optional<Observation> news(RecordKey key, Look look) {
        if (vacancies.isTaken(key, look)) {
            return Optional.empty();
        }
        vacancies.saw(key, look);
        return Optional.of(observed(key, look, vacancies.isKept(key, look)));
    }

    /** One page of the records at or below {@code prefix}. */
    CompletableFuture<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return looks(prefix, from.opaque(), call).thenApply(part -> {
            List<Observation> items = new ArrayList<>();
            for (Seen seen : part.items()) {
                items.add(Records.observe(seen.key(), seen.look(), vacancies.isKept(seen.key(), seen.look())));
            }
            return new Page<>(items, part.after());
        });
    }

    /** A key and the state of its blob. */
    record Seen(RecordKey key, Look look) {}

    CompletableFuture<Page<Seen>> looks(RecordKey prefix, String from, CallContext call) {
        CompletableFuture<Page<Seen>> below = looksBelow(prefix, from, call);
        boolean isWithItself = from.isEmpty() && keys.apart(prefix).isPresent();
        return !isWithItself
                ? below
                : look(prefix, false, call).thenCombine(below, (itself, page) -> {
                    if (itself.etag().isEmpty()) {
                        return page;
                    }
                    List<Seen> items = new ArrayList<>(List.of(new Seen(prefix, itself)));
                    items.addAll(page.items());
                    return new Page<>(items, page.after());
                });
    }

    private CompletableFuture<Page<Seen>> looksBelow(RecordKey prefix, String from, CallContext call) {
        return connection
                .list("listing " + prefix, keys.below(prefix), from, call)
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
