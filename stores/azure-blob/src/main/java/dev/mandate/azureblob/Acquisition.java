package dev.mandate.azureblob;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire, within the deadline of one call:
 *
 * <ol>
 *   <li>create an empty blob if there is none, and a missing container;
 *   <li>take its lease on the version seen vacant, with the attempt's id as lease id. If the answer is lost, ask once
 *       more with the same id, which the service grants again to the same holder;
 *   <li>write the record with its term, under that lease and on that version. Only this begins a term.
 * </ol>
 *
 * <p>On any failure before the last answer, the lease is released on the version seen vacant. Once the record is
 * written, the version is another one and the release has no effect, so a term is never ended by mistake. An attempt
 * that wrote nothing blocks others for one call at most, unless its lease request arrives after the release: then for
 * the whole lease.
 */
final class Acquisition {
    /** The timeout of a release that nobody waits for. */
    private static final Duration GIVE_BACK = Duration.ofSeconds(5);

    static final String NO_DATE =
            "the answer has no Date, without which tokens might not rise; is there a proxy that takes it away?";

    /** The resolution of the service's clock. */
    private static final Duration A_SECOND = Duration.ofSeconds(1);

    /** The service's clocks differ by less than this. */
    private static final Duration CLOCKS_APART_MAX = Duration.ofSeconds(10);

    private final BlobConnection connection;
    private final Reader reader;
    private final boolean mayCreate;
    private final String what;
    private final RecordKey key;
    private final String path;
    private final FreeAt free;
    private final LeaderRecord proposal;
    private final String lease;
    private final int seconds;
    private final CallContext call;

    Acquisition(
            BlobConnection connection,
            Reader reader,
            boolean mayCreate,
            String path,
            RecordKey key,
            FreeAt free,
            LeaderRecord proposal,
            CallContext call) {
        this.connection = connection;
        this.reader = reader;
        this.mayCreate = mayCreate;
        this.what = "acquiring " + key;
        this.key = key;
        this.path = path;
        this.free = free;
        this.proposal = proposal;
        this.lease = Records.lease(proposal);
        this.seconds = seconds(proposal.lease());
        this.call = call;
    }

    private static int seconds(Duration lease) {
        return (int) Math.min(Integer.MAX_VALUE, lease.plusNanos(999_999_999).toSeconds());
    }

    CompletableFuture<WriteOutcome> start() {
        return free.isNowhere() ? create(true) : take(free);
    }

    /** Another candidate may create the same blob at the same time: then both try for its lease. */
    private CompletableFuture<WriteOutcome> create(boolean mayMakeContainer) {
        return connection.create(what, path, call).thenCompose(made -> {
            if (made.isDone()) {
                return takeLater(new FreeAt(made.etag(), 0, made.clockMillis()));
            }
            if (made.is("BlobAlreadyExists") || made.is("LeaseIdMissing") || made.is("ConditionNotMet")) {
                return reader.look(key, true, call)
                        .thenCompose(look -> look.record().isEmpty()
                                        && !look.isLeased()
                                        && !look.etag().isEmpty()
                                ? takeLater(new FreeAt(look.etag(), 0, look.changedMillis()))
                                : refused());
            }
            if (!made.is("ContainerNotFound") || !mayMakeContainer) {
                return refused();
            }
            if (!mayCreate) {
                return CompletableFuture.failedFuture(new StoreSetupException(what + ": " + Fault.NO_CONTAINER));
            }
            return connection.createContainer(what, call).thenCompose(done -> create(false));
        });
    }

    /**
     * Takes the lease once the service's clock has left the second in which the blob was created.
     *
     * @see #write
     */
    private CompletableFuture<WriteOutcome> takeLater(FreeAt at) {
        boolean isTimeLeft = call.remaining().compareTo(A_SECOND.multipliedBy(2)) > 0;
        return isTimeLeft
                ? reader.after(A_SECOND.toNanos()).thenCompose(passed -> take(at))
                : CompletableFuture.completedFuture(WriteOutcome.refusedFor(A_SECOND, Records.vacant(key, at)));
    }

    private CompletableFuture<WriteOutcome> take(FreeAt at) {
        // Half of the time for the first try, so that there is time to ask again.
        CallContext first = CallContext.within(call.remaining().dividedBy(2));
        return lease(at, false, first)
                .exceptionallyCompose(
                        why -> Fault.isSilence(why) ? leaseAgain(at, why) : CompletableFuture.failedFuture(why))
                .thenCompose(taken -> taken.isDone() ? writeOrGiveBack(at, taken) : refused());
    }

    private CompletableFuture<WriteOutcome> writeOrGiveBack(FreeAt at, Answer taken) {
        return write(at, taken).whenComplete((outcome, why) -> {
            if (why != null) {
                giveBack(at);
            }
        });
    }

    /** The outcome of the first request is unknown: if this one fails, releases a lease that the first may have got. */
    private CompletableFuture<Answer> leaseAgain(FreeAt at, Throwable silence) {
        CompletableFuture<Answer> again =
                call.isOver() || connection.exchanges().isClosed()
                        ? CompletableFuture.failedFuture(silence)
                        : lease(at, true, call);
        return again.whenComplete((taken, why) -> {
            if (why != null) {
                giveBack(at);
            }
        });
    }

    private CompletableFuture<Answer> lease(FreeAt at, boolean isUrgent, CallContext within) {
        return connection.lease(what, path, lease, seconds, at.etag(), isUrgent, within);
    }

    /**
     * Writes the record. If the blob has none, the token comes from the service's clock, of a later second than the
     * blob's creation. A former leader whose blob was deleted began in that second at the latest, so its token is
     * smaller, even if nobody here saw it.
     */
    private CompletableFuture<WriteOutcome> write(FreeAt at, Answer taken) {
        if (call.isOver()) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException(what + ": the lease came too late to write the record"));
        }
        long last = Math.max(at.term(), reader.terms().last(key));
        Duration early = Duration.ofMillis(at.changedMillis() - taken.clockMillis());
        @Nullable
        String why = last == Long.MAX_VALUE
                ? "the record has the largest token there is; nothing is larger"
                : at.term() == 0 ? whyNoTime(taken, early) : null;
        if (why != null) {
            return CompletableFuture.failedFuture(new StoreUnavailableException(what + ": " + why));
        }
        if (at.term() == 0 && !early.isNegative()) {
            giveBack(at);
            return takeLater(at);
        }
        long term = Math.max(last + 1, taken.clockMillis());
        LeaderRecord record = proposal.withTerm(term);
        return connection
                .write(what, path, Records.metadata(record), lease, at.etag(), call)
                .thenCompose(written -> {
                    if (written.isDone()) {
                        reader.terms().saw(key, term);
                        return CompletableFuture.completedFuture(
                                WriteOutcome.renewed(Records.held(key, written.etag(), record), record.lease()));
                    }
                    giveBack(at);
                    return refused();
                });
    }

    /** Why the service's clock can't serve as a token; null if it can. */
    private static @Nullable String whyNoTime(Answer taken, Duration early) {
        if (taken.clockMillis() == 0) {
            return NO_DATE;
        }
        return early.compareTo(CLOCKS_APART_MAX) > 0
                ? "the answer's Date is " + early.toSeconds()
                        + " s before the time at which the blob was made; is there"
                        + " a proxy that dates answers by a clock of its own?"
                : null;
    }

    private void giveBack(FreeAt at) {
        if (!connection.exchanges().isClosed()) {
            // No effect if the lease was never ours or is a term's by now. If this request is lost, the lease expires.
            var unused = connection.release(what, path, lease, at.etag(), CallContext.within(GIVE_BACK));
        }
    }

    /** If another candidate has the lease and is about to write its record, it is pointless to retry at once. */
    private CompletableFuture<WriteOutcome> refused() {
        return refused(() -> reader.read(key, true, call))
                .thenApply(outcome -> outcome instanceof WriteOutcome.Refused refused
                                && refused.now().orElse(null) instanceof Observation.Vacant now
                                && now.basis() instanceof FreeAt still
                                && still.etag().equals(free.etag())
                                && !free.isNowhere()
                        ? WriteOutcome.refusedFor(A_SECOND, now)
                        : outcome);
    }

    /** The write changed nothing and never will. Reports what the blob shows, if it can be read. */
    static CompletableFuture<WriteOutcome> refused(Supplier<CompletableFuture<Observation>> read) {
        return read.get().handle((now, why) -> why == null ? WriteOutcome.refused(now) : WriteOutcome.refused());
    }
}
