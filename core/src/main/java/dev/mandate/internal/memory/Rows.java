package dev.mandate.internal.memory;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys of a {@link ModelStore}: the record at each, its revision, and how it reads. */
final class Rows {
    private final boolean isBySession;
    private final boolean isByRevision;
    private final boolean isVacantConstant;

    private final Map<RecordKey, Row> byKey = new HashMap<>();
    private final TreeMap<String, Row> byPath = new TreeMap<>();
    private final Listing listing;
    /** Keys freed without a request at that key, until somebody asks for them. */
    private final Map<RecordKey, Row> freed = new LinkedHashMap<>();

    private long revision;
    private int forgetAt = ModelStore.VACANT_ROWS_MAX;
    private long forgottenVersion;
    private long forgottenToken;

    Rows(StoreTraits traits, ModelOptions options) {
        this.isBySession = traits.leaseScope() == LeaseScope.SESSION;
        this.isByRevision = options.token() == ModelOptions.Token.REVISION;
        this.isVacantConstant = options.vacantBasis() == ModelOptions.VacantBasis.CONSTANT;
        this.listing = new Listing(byPath, options, this::shown);
    }

    long nextRevision() {
        return ++revision;
    }

    @Nullable
    Row at(RecordKey key) {
        return byKey.get(key);
    }

    /** The row of that key, created if there is none. */
    Row make(RecordKey key, long nowNanos) {
        Row row = byKey.get(key);
        if (row == null) {
            if (byKey.size() >= forgetAt) {
                forgetVacant(nowNanos);
            }
            row = new Row(key, key.path());
            row.version = forgottenVersion;
            row.token = forgottenToken;
            byKey.put(key, row);
            byPath.put(row.path, row);
        }
        return row;
    }

    /** All rows, in the order of their paths. */
    Collection<Row> all() {
        return byPath.values();
    }

    /** Forgets vacant keys. No version or token that was seen can come again. */
    void forgetVacant(long nowNanos) {
        forgottenVersion = ++revision;
        byKey.values().removeIf(row -> {
            boolean forget = row.isVacant() && row.lockedUntilNanos <= nowNanos && row.claim == null;
            if (forget) {
                forgottenToken = Math.max(forgottenToken, row.token);
                byPath.remove(row.path);
                freed.remove(row.key);
            }
            return forget;
        });
        forgetAt = byKey.size() + ModelStore.VACANT_ROWS_MAX;
    }

    /** Forgets one vacant key. No version or token that was seen can come again. */
    void forget(Row row) {
        forgottenVersion = ++revision;
        forgottenToken = Math.max(forgottenToken, row.token);
        byKey.remove(row.key);
        byPath.remove(row.path);
        freed.remove(row.key);
    }

    // ---- what each key holds ----

    /** Whether the key is vacant at that version. */
    boolean isAsSeen(RecordKey key, Basis vacant) {
        Row row = byKey.get(key);
        return (row == null || row.isVacant()) && Version.number(vacant) == vacantVersion(row);
    }

    /** The row that is still as {@code basis} shows it, or null. */
    @Nullable
    Row standing(Observation.Held basis) {
        Row row = byKey.get(basis.key());
        return row == null || row.isVacant() || row.version != Version.number(basis.basis()) ? null : row;
    }

    private long vacantVersion(@Nullable Row row) {
        return isVacantConstant ? 0 : row == null ? forgottenVersion : row.version;
    }

    /** The row became vacant without a request at its key. */
    void freed(Row row) {
        freed.put(row.key, row);
    }

    /** The rows passed to {@link #freed} since the last call that are still vacant. */
    List<Observation> takeFreed() {
        if (freed.isEmpty()) {
            return List.of();
        }
        List<Observation> vacant = new ArrayList<>(freed.size());
        for (Row row : freed.values()) {
            if (row.isVacant()) {
                vacant.add(shown(row));
            }
        }
        freed.clear();
        return vacant;
    }

    // ---- how it reads ----

    Page<Observation> page(String top, Cursor from, int limit) {
        return listing.page(top, from, limit);
    }

    Observation shown(RecordKey key) {
        Row row = byKey.get(key);
        return row == null ? Observation.vacant(key, new Version(vacantVersion(null))) : shown(row);
    }

    /** What a read shows; the same object while nothing changes. */
    Observation shown(Row row) {
        boolean isVacant = row.isVacant();
        long leaseVersion = isVacant ? -1 : isBySession && row.lease != null ? row.lease.version : 0;
        Observation shown = row.shown;
        if (shown == null || row.shownVersion != row.version || row.shownLeaseVersion != leaseVersion) {
            shown = isVacant ? Observation.vacant(row.key, new Version(vacantVersion(row))) : held(row);
            row.shown = shown;
            row.shownVersion = row.version;
            row.shownLeaseVersion = leaseVersion;
        }
        return shown;
    }

    private Observation held(Row row) {
        Version basis = new Version(row.version);
        long token = isByRevision ? row.version : row.token;
        Lease lease = row.lease;
        var liveness = !isBySession
                ? new Version(row.renewedAt)
                : lease == null ? new SessionSeen(0, row.version) : new SessionSeen(lease.number, lease.version);
        LeaderRecord record = row.record;
        return record != null
                ? Observation.held(row.key, basis, liveness, token, record)
                : Observation.foreign(
                        row.key,
                        basis,
                        liveness,
                        token,
                        Optional.ofNullable(row.foreign).orElse(""),
                        row.foreignLease);
    }
}
