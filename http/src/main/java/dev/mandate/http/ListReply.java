package dev.mandate.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;

/**
 * Writes an object with a list that may be long: piece by piece, each after the one before was sent, so that a slow
 * reader costs one piece of memory.
 */
final class ListReply<T> extends IteratingCallback {
    private static final int PIECE_BYTES = 64 * 1024;

    private final Response response;
    private final Callback callback;
    private final Peers peers;
    private final Connection connection;
    private final Iterator<T> items;
    private final Item<T> item;
    private final ByteArrayOutputStream piece = new ByteArrayOutputStream();
    private final JsonGenerator json = Json.generator(piece);
    private boolean isLast;

    /** Writes an item of a list. */
    @FunctionalInterface
    interface Item<T> {
        /** Writes its fields. */
        void write(JsonGenerator json, T item) throws IOException;
    }

    private ListReply(Response response, Callback callback, Peers peers, List<T> items, Item<T> item) {
        this.response = response;
        this.callback = callback;
        this.peers = peers;
        this.connection = response.getRequest().getConnectionMetaData().getConnection();
        this.items = items.iterator();
        this.item = item;
    }

    /** Writes an object: the fields of {@code head}, then {@code name} with one object for each of {@code items}. */
    static <T> void write(
            Response response,
            Callback callback,
            Peers peers,
            int status,
            Json.Body head,
            String name,
            List<T> items,
            Item<T> item)
            throws IOException {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Reply.JSON);
        ListReply<T> reply = new ListReply<>(response, callback, peers, items, item);
        reply.json.writeStartObject();
        head.write(reply.json);
        reply.json.writeArrayFieldStart(name);
        reply.iterate();
    }

    @Override
    protected Action process() throws IOException {
        if (isLast) {
            return Action.SUCCEEDED;
        }
        while (items.hasNext() && piece.size() < PIECE_BYTES) {
            json.writeStartObject();
            item.write(json, items.next());
            json.writeEndObject();
            json.flush();
        }
        if (!items.hasNext()) {
            isLast = true;
            json.writeEndArray();
            json.writeEndObject();
            json.close();
        }
        byte[] bytes = piece.toByteArray();
        piece.reset();
        peers.waits(connection);
        response.write(isLast, ByteBuffer.wrap(bytes), this);
        return Action.SCHEDULED;
    }

    @Override
    protected void onSuccess() {
        peers.wrote(connection);
    }

    @Override
    protected void onCompleteSuccess() {
        callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        callback.failed(cause);
    }
}
