package dev.mandate.azureblob;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.support.Interest;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.OwnObservation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Elections by leases of Azure blobs: a blob per election, leased by its leader, with the record in its metadata.
 *
 * <table>
 * <caption>The requests of each call, and their conditions</caption>
 * <tr><th>verb</th><th>request</th><th>condition</th></tr>
 * <tr><td>acquire</td><td>take the lease, then write the record: {@link Acquisition}</td><td>the version (ETag) seen
 * vacant, in both</td>
 * </tr>
 * <tr><td>renewal</td><td>renew the lease</td><td>the version seen, and the lease of the attempt</td></tr>
 * <tr><td>other updates</td><td>write the record</td><td>the same</td></tr>
 * <tr><td>release</td><td>release the lease; if the record is foreign, break it</td><td>the same; if foreign,
 * the version alone</td></tr>
 * <tr><td>erase</td><td>delete the blob</td><td>the version seen vacant, and no lease</td></tr>
 * </table>
 *
 * <p>Versions never repeat. But leases do not change them, so a version is not enough: a record counts only while its
 * blob is leased. The lease id is the attempt, so everyone who can read the record can also write a request to leave,
 * and nobody frees a later term by mistake.
 *
 * <p>The fencing token is the larger of the last one plus 1 and the service's clock in milliseconds. It is in the
 * record, which stays in the blob after the term. If the blob was deleted, the clock makes it rise.
 *
 * <p>Outcomes: written or refused if the service says so (done, not found, conflict, condition not met). Setup:
 * credentials, rights, or not a blob service. Unknown: everything else, including a busy service.
 *
 * <p><em>Threads:</em> all methods return at once; two daemon threads and a timer per store do the work. Thread-safe.
 */
final class AzureBlobElectionStore implements ElectionStore, Diagnosable {
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    /** Measured: less than the 25 ms between two reads. */
    private static final Duration EXPIRY_SLACK = Duration.ofSeconds(1);

    /** The service's clock has whole seconds. */
    private static final long LAST_MILLIS_OF_A_SECOND = 999;

    /** Six times as long in JSON, it still fits a blob's metadata, at most 8 KiB. */
    private static final int VALUE_BYTES_MAX = 1_024;

    private final AzureBlobSettings settings;
    private final KeyTemplate keys;
    private final BlobConnection connection;
    private final Vacancies vacancies = new Vacancies(System::nanoTime);
    private final Reader reader;
    private final Interest interest = new Interest(System::nanoTime);
    private final StoreTraits traits;
    private final Set<BlobWatch> watches = ConcurrentHashMap.newKeySet();

    AzureBlobElectionStore(AzureBlobSettings settings) {
        this.settings = settings;
        this.keys = settings.keys();
        this.connection = new BlobConnection(settings);
        this.reader = new Reader(connection, keys, vacancies);
        this.traits = StoreTraits.of("Azure Blob", Expiry.STORE_REMOVES, LeaseScope.RECORD)
                .withGuarantee(Guarantee.FENCED)
                .withLeaseBounds(Records.LEASE_MIN, Records.LEASE_MAX, Duration.ofSeconds(1))
                .withExpiry(1.0, EXPIRY_SLACK)
                .withWatch(true)
                .withValueBytesMax(VALUE_BYTES_MAX)
                .withAssumptions(
                        "the service keeps what it confirmed, and shows it to every reader from then on, also after it"
                                + " failed over to other machines; an account that was failed over to another region may"
                                + " have lost the last writes: stop the candidates first",
                        "only candidates take, renew or break the leases of elections' blobs, or write to them;"
                                + " when anyone else breaks one, the leader may believe it leads until its next renewal",
                        "nobody deletes the container, or an election's blob, while a leader believes: a lease protects no"
                                + " container, and the next candidate makes it again without waiting; stop the"
                                + " candidates, or wait a lease, first",
                        "the service's clock never goes back while a blob is deleted and made again: there it alone makes"
                                + " tokens rise",
                        "tested on the emulator, Azurite; the real service behaves as it documents");
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        use(key);
        return reader.read(key, false, call);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return reader.list(prefix, from, call);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        String path = use(key);
        if (!(basis.basis() instanceof FreeAt free)) {
            // Only the service can end a holder's lease. An observation of another store is refused as well.
            return Acquisition.refused(() -> reader.read(key, true, call));
        }
        interest.lease(proposal.lease().toNanos());
        if (!free.isNowhere()) {
            vacancies.believes(key, free.etag());
        }
        return new Acquisition(connection, reader, settings.create(), path, key, free, proposal, call).start();
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        String path = use(key);
        String etag = etag(basis);
        String lease = Records.lease(record);
        String what = "updating " + key;
        if (intent == Intent.RENEW && !basis.isForeign() && basis.record().equals(record)) {
            return connection
                    .renew(what, path, lease, etag, call)
                    .thenCompose(renewed -> renewed.isDone()
                            ? done(WriteOutcome.renewed(Records.held(key, etag, record), record.lease()))
                            : Acquisition.refused(() -> reader.read(key, true, call)));
        }
        return connection
                .write(what, path, Records.metadata(record), lease, etag, call)
                .thenCompose(written -> {
                    if (!written.isDone()) {
                        return Acquisition.refused(() -> reader.read(key, true, call));
                    }
                    Observation.Held now = Records.held(key, written.etag(), record);
                    return intent == Intent.RENEW
                            ? update(key, now, record, intent, call)
                            : done(WriteOutcome.written(now));
                });
    }

    private static CompletionStage<WriteOutcome> done(WriteOutcome outcome) {
        return CompletableFuture.completedStage(outcome);
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        String path = use(key);
        String etag = etag(basis);
        String what = "releasing " + key;
        CompletableFuture<Answer> released = basis.isForeign()
                ? connection.breakLease(what, path, etag, call)
                : connection.release(what, path, Records.lease(basis.record()), etag, call);
        return released.thenCompose(answer -> {
            if (!answer.isDone()) {
                return Acquisition.refused(() -> reader.read(key, true, call));
            }
            vacancies.saw(key, Look.free(etag));
            // The next term needs the time of a foreign record's release, and the term of ours.
            FreeAt free = basis.isForeign()
                    ? new FreeAt(etag, Records.term(basis.basis()), answer.clockMillis())
                    : new FreeAt(etag, basis.term(), 0);
            return done(WriteOutcome.written(Records.vacant(key, free)));
        });
    }

    /**
     * {@inheritDoc} Without the blob, the service's clock alone makes the next token larger. So the blob is deleted
     * only once the clock has passed the token's second. A blob leased meanwhile stays.
     */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        RecordKey key = basis.key();
        FreeAt free = OwnObservation.basis(FreeAt.class, basis);
        if (free.isNowhere()) {
            return reader.read(key, false, call).thenApply(now -> WriteOutcome.compared(basis, now));
        }
        String what = "erasing " + key;
        return connection.greet(what, false, call).thenCompose(greeting -> {
            long aheadMillis = free.term() - greeting.clockMillis() - LAST_MILLIS_OF_A_SECOND;
            if (greeting.clockMillis() == 0) {
                return CompletableFuture.failedFuture(new StoreUnavailableException(what + ": " + Acquisition.NO_DATE));
            }
            if (aheadMillis > 0) {
                return done(WriteOutcome.refusedFor(Duration.ofMillis(aheadMillis), basis));
            }
            return connection
                    .delete(what, keys.path(key), free.etag(), call)
                    .thenCompose(answer -> answer.isDone()
                            ? done(WriteOutcome.written(Records.vacant(key, FreeAt.NOWHERE)))
                            : Acquisition.refused(() -> reader.read(key, true, call)));
        });
    }

    /**
     * {@inheritDoc} The service does not push changes. The watch polls at the URL's {@code watch} interval; below other
     * prefixes than that of all elections, it lists at five times the interval, with one request per 250 blobs.
     */
    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return watch(prefix, !prefix.equals(RecordKey.elections()), hints);
    }

    /** {@inheritDoc} Lists as for prefixes other than that of all elections. */
    @Override
    public Subscription watchAll(RecordKey prefix, Consumer<Hint> hints) {
        return watch(prefix, true, hints);
    }

    private Subscription watch(RecordKey prefix, boolean isOfAll, Consumer<Hint> hints) {
        if (connection.exchanges().isClosed()) {
            throw new IllegalStateException(settings.name() + ": the store is closed");
        }
        // Rejects an invalid prefix now.
        keys.start(prefix);
        // Thousands of other keys must not evict what is remembered about elections.
        Reader eyes = isOfAll ? new Reader(connection, keys, new Vacancies(System::nanoTime)) : reader;
        BlobWatch watch =
                new BlobWatch(connection.exchanges(), eyes, interest, settings.watch(), prefix, isOfAll, hints);
        watches.add(watch);
        watch.start();
        return () -> {
            watches.remove(watch);
            watch.close();
        };
    }

    @Override
    public void close() {
        watches.forEach(BlobWatch::close);
        watches.clear();
        connection.close();
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
        return new AzureBlobDiagnosis(settings, connection).findings(call);
    }

    @Override
    public boolean admitsScratch() {
        return keys.admitsMany();
    }

    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        return AzureBlobDiagnosis.rightFor(verb, settings.container());
    }

    /**
     * Makes the first calls, so that the engine's do not wait for connections and class loading. Blocks for three
     * seconds at most.
     *
     * @throws StoreSetupException if the setup has to change
     */
    void warmUp() {
        CallContext call = CallContext.within(WARM_UP);
        CompletableFuture<Page<Observation>> listing = reader.list(RecordKey.PROBE, Cursor.START, call);
        try {
            reader.read(RecordKey.PROBE, true, call).join();
            // Elections need no right to list.
            var unused = listing.handle((page, why) -> true).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreSetupException setup) {
                throw setup;
            }
        }
    }

    /** The blob's name; notes that this client uses {@code key}. */
    private String use(RecordKey key) {
        String path = keys.path(key);
        if (path.length() > AzureBlobUrl.PATH_MAX) {
            throw new StoreSetupException("the name '" + path.substring(0, 40) + "…' of a blob takes "
                    + path.length() + " characters, and the service takes " + AzureBlobUrl.PATH_MAX
                    + "; make its names shorter");
        }
        interest.used(key);
        return path;
    }

    private static String etag(Observation.Held held) {
        return OwnObservation.basis(LeasedAt.class, held).etag();
    }

    /** The service and the container, without secrets. */
    @Override
    public String toString() {
        return settings.name();
    }
}
