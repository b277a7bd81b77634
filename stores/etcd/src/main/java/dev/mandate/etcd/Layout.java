package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RecordJson;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The keys and values of records in etcd, and the one transaction for each call.
 *
 * <ul>
 *   <li>{@code json}: the key holds the record, as {@link RecordJson} writes it.
 *   <li>{@code raw}: the key holds only the leader's value, for readers that do not know Mandate. A key beside it holds
 *       the record without the value. The record counts only if one transaction last wrote both, that is, if their
 *       revisions are equal.
 * </ul>
 *
 * <p>Any other content is foreign. So is a record without a lease: nothing would ever remove it.
 */
final class Layout {
    private final KeyTemplate keys;
    private final boolean raw;
    private final LongFunction<@Nullable Duration> leases;

    /** {@code leases} returns a lease's length; null if not known. */
    Layout(KeyTemplate keys, boolean raw, LongFunction<@Nullable Duration> leases) {
        this.keys = keys;
        this.raw = raw;
        this.leases = leases;
    }

    KeyTemplate keys() {
        return keys;
    }

    boolean isRaw() {
        return raw;
    }

    /** A range of keys; the end is exclusive. */
    record Range(ByteString from, ByteString end) {
        /** The same range from a later key on. */
        Range from(ByteString later) {
            return new Range(later, end);
        }
    }

    /** The smallest range that contains all records at or below {@code prefix}; it may contain others. */
    Range range(RecordKey prefix) {
        return range(prefix, keys.start(prefix));
    }

    /**
     * The range that contains exactly the records below {@code prefix}; {@link KeyTemplate#apart} says whether it
     * includes the one at the prefix.
     */
    Range below(RecordKey prefix) {
        return range(prefix, keys.below(prefix));
    }

    private Range range(RecordKey prefix, String start) {
        ByteString from = bytes(start);
        if (!keys.admitsMany() && prefix.space().equals(RecordKey.ELECTIONS)) {
            // Requires rights to one key only, or to two.
            return new Range(from, after(raw ? bytes(start + KeyTemplate.BESIDE) : from));
        }
        return new Range(from, endOfPrefix(from));
    }

    static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** The first possible key after {@code key}. */
    static ByteString after(ByteString key) {
        return key.concat(ByteString.copyFrom(new byte[1]));
    }

    private static ByteString endOfPrefix(ByteString prefix) {
        byte[] end = prefix.toByteArray();
        // UTF-8 has no byte 0xFF, and a prefix is not empty.
        end[end.length - 1]++;
        return ByteString.copyFrom(end);
    }

    private ByteString main(RecordKey key) {
        return bytes(keys.path(key));
    }

    private ByteString beside(RecordKey key) {
        return bytes(keys.beside(key));
    }

    // ---- requests ----

    TxnRequest read(RecordKey key) {
        return TxnRequest.newBuilder().addAllSuccess(gets(key)).build();
    }

    /**
     * The cheapest request that every candidate may make.
     *
     * @param isLinearizable whether a majority of the members must confirm the answer; else one member answers alone
     */
    RangeRequest look(boolean isLinearizable) {
        return RangeRequest.newBuilder()
                .setKey(main(RecordKey.PROBE))
                .setCountOnly(true)
                .setSerializable(!isLinearizable)
                .build();
    }

    TxnRequest acquire(RecordKey key, LeaderRecord proposal, long lease) {
        Compare vacant = Compare.newBuilder()
                .setKey(main(key))
                .setTarget(Compare.CompareTarget.VERSION)
                .setResult(Compare.CompareResult.EQUAL)
                .setVersion(0)
                .build();
        return TxnRequest.newBuilder()
                .addCompare(vacant)
                .addAllSuccess(puts(key, proposal, lease))
                .addAllFailure(gets(key))
                .build();
    }

    TxnRequest update(RecordKey key, HeldAt at, LeaderRecord record) {
        TxnRequest.Builder txn = TxnRequest.newBuilder()
                .addAllCompare(unchanged(main(key), at))
                .addAllSuccess(puts(key, record, at.lease()))
                .addAllFailure(gets(key));
        if (raw) {
            txn.addCompare(modified(beside(key), at.modified()));
        }
        return txn.build();
    }

    /** Only deletes, so it works when the server has no space left. */
    TxnRequest release(RecordKey key, HeldAt at) {
        TxnRequest.Builder txn = TxnRequest.newBuilder()
                .addAllCompare(unchanged(main(key), at))
                .addSuccess(delete(main(key)))
                .addAllFailure(gets(key));
        if (raw) {
            txn.addSuccess(delete(beside(key)));
        }
        return txn.build();
    }

    private static List<Compare> unchanged(ByteString key, HeldAt at) {
        Compare created = Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(at.created())
                .build();
        return List.of(modified(key, at.modified()), created);
    }

    private static Compare modified(ByteString key, long revision) {
        return Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.MOD)
                .setResult(Compare.CompareResult.EQUAL)
                .setModRevision(revision)
                .build();
    }

    private List<RequestOp> puts(RecordKey key, LeaderRecord record, long lease) {
        if (!raw) {
            return List.of(put(main(key), RecordJson.write(record), lease));
        }
        return List.of(
                put(main(key), record.value(), lease), put(beside(key), RecordJson.write(record.withValue("")), lease));
    }

    private static RequestOp put(ByteString key, String value, long lease) {
        PutRequest put = PutRequest.newBuilder()
                .setKey(key)
                .setValue(bytes(value))
                .setLease(lease)
                .build();
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    private static RequestOp delete(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key))
                .build();
    }

    /** Reads {@code key} itself, then one page of the keys below it. */
    TxnRequest list(RecordKey key, RangeRequest below) {
        return TxnRequest.newBuilder()
                .addAllSuccess(gets(key))
                .addSuccess(RequestOp.newBuilder().setRequestRange(below))
                .build();
    }

    private List<RequestOp> gets(RecordKey key) {
        List<RequestOp> gets = new ArrayList<>(2);
        gets.add(get(main(key)));
        if (raw) {
            gets.add(get(beside(key)));
        }
        return gets;
    }

    private static RequestOp get(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key))
                .build();
    }

    // ---- answers ----

    /** Interprets the answers to {@link #gets}. */
    Observation observe(RecordKey key, List<ResponseOp> answers) {
        KeyValue main = first(answers.get(0));
        return main == null
                ? vacant(key)
                : observe(key, main, raw && answers.size() > 1 ? first(answers.get(1)) : null);
    }

    private static @Nullable KeyValue first(ResponseOp answer) {
        List<KeyValue> found = answer.getResponseRange().getKvsList();
        return found.isEmpty() ? null : found.get(0);
    }

    static Observation vacant(RecordKey key) {
        return Observation.vacant(key, VacantAt.INSTANCE);
    }

    /**
     * Interprets one key.
     *
     * @param beside the key beside it; null if there is none
     */
    Observation.Held observe(RecordKey key, KeyValue main, @Nullable KeyValue beside) {
        HeldAt at = new HeldAt(main.getModRevision(), main.getCreateRevision(), main.getLease());
        LeaseAlive alive = new LeaseAlive(at.lease());
        Optional<LeaderRecord> record = raw ? rawRecord(main, beside) : record(main.getValue());
        if (record.isPresent() && at.lease() != 0) {
            return Observation.held(key, at, alive, at.created(), record.get());
        }
        String shown = record.isPresent() ? record.get().candidate() + " (without a lease)" : shown(main.getValue());
        return Observation.foreign(key, at, alive, at.created(), shown, leases.apply(at.lease()));
    }

    /** The observation after our own write, now at {@code at}. */
    Observation.Held written(RecordKey key, LeaderRecord record, HeldAt at) {
        return Observation.held(key, at, new LeaseAlive(at.lease()), at.created(), record);
    }

    private static Optional<LeaderRecord> rawRecord(KeyValue main, @Nullable KeyValue beside) {
        if (beside == null
                || beside.getModRevision() != main.getModRevision()
                || beside.getLease() != main.getLease()
                || !main.getValue().isValidUtf8()) {
            return Optional.empty();
        }
        return record(beside.getValue()).map(r -> r.withValue(main.getValue().toStringUtf8()));
    }

    private static Optional<LeaderRecord> record(ByteString value) {
        return value.isValidUtf8() ? RecordJson.find(value.toStringUtf8()) : Optional.empty();
    }

    private static String shown(ByteString value) {
        String text = value.substring(0, Math.min(value.size(), 4 * Excerpt.VALUE_MAX))
                .toStringUtf8();
        return Excerpt.of(text, Excerpt.VALUE_MAX);
    }
}
