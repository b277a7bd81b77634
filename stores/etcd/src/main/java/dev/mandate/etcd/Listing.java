package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lists all records below a prefix, page by page in key order. */
final class Listing {
    /** Items per page: a leader with 1,000 elections polls them in one request. */
    private static final int ITEMS_MAX = 1_000;

    private static final int SHRINK = 10;

    private final EtcdConnection connection;
    private final Layout layout;

    Listing(EtcdConnection connection, Layout layout) {
        this.connection = connection;
        this.layout = layout;
    }

    CompletionStage<Page<Observation>> page(RecordKey prefix, Cursor from, CallContext call) {
        Layout.Range all = layout.below(prefix);
        boolean isFirst = from.equals(Cursor.START);
        ByteString start = isFirst
                ? all.from()
                : ByteString.copyFrom(Base64.getUrlDecoder().decode(from.opaque()));
        boolean isWithItself = isFirst && layout.keys().apart(prefix).isPresent();
        return page(prefix, isWithItself, all.from(start), isWithItself ? ITEMS_MAX - 1 : ITEMS_MAX, call);
    }

    /**
     * Requests a page.
     *
     * @param isWithItself whether to read the key {@code prefix} itself, too
     */
    private CompletionStage<Page<Observation>> page(
            RecordKey prefix, boolean isWithItself, Layout.Range range, int items, CallContext call) {
        // One more than needed, so that no key is returned without the one beside it.
        int limit = layout.isRaw() ? 2 * items + 1 : items;
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(range.from())
                .setRangeEnd(range.end())
                .setLimit(limit)
                .build();
        String what = "listing " + prefix;
        CompletableFuture<Page<Observation>> page = isWithItself
                ? connection
                        .call(what, KVGrpc.getTxnMethod(), layout.list(prefix, request), call)
                        .thenApply(answer -> page(prefix, answer))
                : connection
                        .call(what, KVGrpc.getRangeMethod(), request, call)
                        .thenApply(answer -> page(prefix, answer.getHeader(), answer, Optional.empty()));
        return page.exceptionallyCompose(failure -> items > 1 && isTooLarge(failure)
                ? page(prefix, isWithItself, range, items / SHRINK, call)
                : CompletableFuture.failedFuture(failure));
    }

    /** Whether the answer was too large: values may have many kilobytes; then pages get smaller. */
    private static boolean isTooLarge(Throwable failure) {
        Throwable cause = Causes.unwrapped(failure).getCause();
        return cause != null && Fault.says(Status.fromThrowable(cause), "exceeds maximum size");
    }

    private Page<Observation> page(RecordKey prefix, TxnResponse answer) {
        List<ResponseOp> parts = answer.getResponsesList();
        RangeResponse below = parts.get(parts.size() - 1).getResponseRange();
        Observation itself = layout.observe(prefix, parts.subList(0, parts.size() - 1));
        return page(prefix, answer.getHeader(), below, Optional.of(itself).filter(Observation.Held.class::isInstance));
    }

    private Page<Observation> page(
            RecordKey prefix, ResponseHeader header, RangeResponse answer, Optional<Observation> itself) {
        connection.saw(header);
        List<KeyValue> found = answer.getKvsList();
        boolean isLast = !answer.getMore() || found.isEmpty();
        int end = isLast || !layout.isRaw() ? found.size() : found.size() - 1;
        List<Observation> seen = new ArrayList<>(end + 1);
        itself.ifPresent(seen::add);
        for (int i = 0; i < end; i++) {
            KeyValue main = found.get(i);
            String path = main.getKey().toStringUtf8();
            Optional<RecordKey> key = layout.keys().key(path).filter(k -> k.isBelow(prefix));
            if (key.isPresent()) {
                seen.add(layout.observe(key.get(), main, beside(path, found, i + 1)));
            }
        }
        return new Page<>(seen, isLast ? null : cursor(found, end));
    }

    /** Finds the key beside another, which follows it: no record's key sorts in between, but foreign keys may. */
    private @Nullable KeyValue beside(String path, List<KeyValue> found, int from) {
        if (!layout.isRaw()) {
            return null;
        }
        ByteString wanted = Layout.bytes(path + KeyTemplate.BESIDE);
        for (int i = from; i < found.size() && found.get(i).getKey().startsWith(Layout.bytes(path)); i++) {
            if (found.get(i).getKey().equals(wanted)) {
                return found.get(i);
            }
        }
        return null;
    }

    private static Cursor cursor(List<KeyValue> found, int end) {
        ByteString next = end < found.size()
                ? found.get(end).getKey()
                : Layout.after(found.get(found.size() - 1).getKey());
        return new Cursor(Base64.getUrlEncoder().withoutPadding().encodeToString(next.toByteArray()));
    }
}
