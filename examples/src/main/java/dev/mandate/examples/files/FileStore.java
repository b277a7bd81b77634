package dev.mandate.examples.files;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One file per key. Every write takes the next number of the folder, under the folder's lock, after it has compared the
 * basis; the number is the new version and, for an acquire, the fencing token. Nobody ends leases here: a challenger
 * takes over once the number of the last renewal has not changed for a lease.
 *
 * <p>Calls run one at a time on a thread of the store, so that no method blocks.
 */
final class FileStore implements ElectionStore {
    private static final int PAGE_ITEMS = 200;
    private static final StoreTraits TRAITS = StoreTraits.of("files", Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)
            .withOrderedTerms(true)
            .withAssumptions(
                    "The folder is on a local disk, and only Mandate writes there.",
                    "A power failure may undo the last writes, and tokens may then repeat.",
                    "A process that is frozen while it writes keeps all others from writing.");

    private final Folder folder;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread daemon = new Thread(work, "mandate-files");
        daemon.setDaemon(true);
        return daemon;
    });

    FileStore(Path folder) {
        this.folder = new Folder(folder);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return run(() -> folder.read(key).observed(key));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return run(() -> {
            List<RecordKey> keys = folder.keys(prefix).stream()
                    .filter(key -> key.path().compareTo(from.opaque()) > 0)
                    .sorted(Comparator.comparing(RecordKey::path))
                    .limit(PAGE_ITEMS + 1L)
                    .toList();
            boolean isLast = keys.size() <= PAGE_ITEMS;
            List<Observation> items = new ArrayList<>();
            for (RecordKey key : isLast ? keys : keys.subList(0, PAGE_ITEMS)) {
                items.add(folder.read(key).observed(key));
            }
            return new Page<>(
                    items, isLast ? null : new Cursor(keys.get(PAGE_ITEMS - 1).path()));
        });
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        return write(key, basis, call, (now, number) -> {
            Stored held = new Stored(number, number, proposal.withTerm(number));
            folder.write(key, held);
            return WriteOutcome.renewed(held.observed(key), proposal.lease());
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return write(key, basis, call, (now, number) -> {
            boolean isRenewal = intent == Intent.RENEW;
            Stored held = new Stored(number, isRenewal ? number : now.renewal(), record);
            folder.write(key, held);
            return isRenewal
                    ? WriteOutcome.renewed(held.observed(key), record.lease())
                    : WriteOutcome.written(held.observed(key));
        });
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return write(key, basis, call, (now, number) -> {
            Stored vacant = new Stored(number, number, null);
            folder.write(key, vacant);
            return WriteOutcome.written(vacant.observed(key));
        });
    }

    /** The folder's numbers go on, so nothing that was seen before returns. */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        RecordKey key = basis.key();
        return write(key, basis, call, (now, number) -> {
            folder.delete(key);
            return WriteOutcome.written(Stored.NOTHING.observed(key));
        });
    }

    @Override
    public void close() {
        thread.shutdown();
    }

    // ---- how calls run ----

    private interface Write {
        WriteOutcome on(Stored now, long number) throws IOException;
    }

    /** Writes if what is stored is still the basis. Whatever goes wrong later leaves the outcome unknown. */
    private CompletionStage<WriteOutcome> write(RecordKey key, Observation basis, CallContext call, Write write) {
        return run(() -> folder.locked(call, () -> {
            Stored now = folder.read(key);
            Observation seen = now.observed(key);
            boolean isSame = seen.getClass() == basis.getClass() && seen.basis().equals(basis.basis());
            return isSame ? write.on(now, folder.nextNumber()) : WriteOutcome.refused(seen);
        }));
    }

    private <T> CompletionStage<T> run(Callable<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    answer.complete(work.call());
                } catch (Exception e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new StoreUnavailableException(folder + " is closed"));
        }
        return answer;
    }
}
