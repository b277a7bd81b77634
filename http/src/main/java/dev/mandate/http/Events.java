package dev.mandate.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.mandate.http.Board.Kind;
import dev.mandate.http.Board.State;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bytes of server-sent events, made once: streams that know the same get the same bytes. Used by one thread. */
final class Events {
    /** A batch ends when it is longer than this. */
    private static final int BATCH_BYTES = 256 * 1024;
    /** A snapshot ends when it is longer than this; batches bring the rest. */
    private static final int SNAPSHOT_BYTES = 4 * 1024 * 1024;

    private static final int ITEMS_MAX = 1_000;
    /** A snapshot longer than this is reused for a second; batches bring what came since. */
    private static final int LONG_BYTES = 64 * 1024;

    private static final long SNAPSHOT_NANOS = 1_000_000_000;

    private final Board board;
    private final String store;

    /** Batches by the number that their readers know; all were made at {@link #madeAt}. */
    private final Map<Long, Batch> made = new HashMap<>();

    private long madeAt;
    private @Nullable Batch snapshot;
    private long snapshotNanos;

    /**
     * What a reader that knows all up to some number gets next.
     *
     * @param upTo the number up to which the reader then knows all
     * @param madeAt the number of the last change when it was made: it shows nothing that was gone by then
     */
    record Batch(byte[] bytes, long upTo, long madeAt) {
        /** Whether there is nothing to send: all that changed was dropped meanwhile. */
        boolean isEmpty() {
            return bytes.length == 0;
        }
    }

    Events(Board board, String store) {
        this.board = board;
        this.store = store;
    }

    /** The age of what is known. */
    record Health(boolean stale, long ageMillis, long nowMillis) {
        void write(JsonGenerator json) throws IOException {
            json.writeBooleanField("stale", stale);
            json.writeNumberField("ageMillis", ageMillis);
            json.writeNumberField("now", nowMillis);
        }
    }

    /** An event with the age of what is known. */
    static byte[] health(Health health) {
        return event("health", Json.object(health::write));
    }

    private static byte[] event(String name, byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(data.length + 32);
        put(out, "event: " + name + "\ndata: ");
        out.writeBytes(data);
        put(out, "\n\n");
        return out.toByteArray();
    }

    // ---- snapshots ----

    /** The beginning of a snapshot; {@link #snapshot} is the rest. */
    byte[] snapshotHead(Health health) {
        byte[] head = Json.object(json -> {
            json.writeStringField("store", store);
            health.write(json);
        });
        ByteArrayOutputStream out = new ByteArrayOutputStream(head.length + 32);
        put(out, "retry: 2000\nevent: snapshot\ndata: ");
        out.write(head, 0, head.length - 1);
        return out.toByteArray();
    }

    /** The rest of a snapshot. A long one is up to a second old: ask for what came {@link #after} it. */
    Batch snapshot(long nanos) {
        Batch last = snapshot;
        if (last == null || !isFit(last, nanos)) {
            last = newSnapshot();
            snapshot = last;
            snapshotNanos = nanos;
        }
        return last;
    }

    private boolean isFit(Batch last, long nanos) {
        boolean isRecent = nanos - snapshotNanos <= SNAPSHOT_NANOS && last.madeAt() >= board.dropped();
        return last.upTo() == board.number() || isRecent && last.bytes().length > LONG_BYTES;
    }

    /** Forgets a snapshot that is too old to be reused. */
    void forget(long nanos) {
        if (nanos - snapshotNanos > SNAPSHOT_NANOS) {
            snapshot = null;
        }
    }

    private Batch newSnapshot() {
        Piles piles = collect(0, true, SNAPSHOT_BYTES);
        ByteArrayOutputStream out = new ByteArrayOutputStream(piles.bytes() + 128);
        piles.array(out, ",\"elections\":[", Kind.ELECTION);
        piles.array(out, "],\"queues\":[", Kind.QUEUE);
        piles.array(out, "],\"services\":[", Kind.SERVICE);
        piles.array(out, "],\"takeOvers\":[", Kind.TAKE_OVER);
        put(out, "]}\n\n");
        return new Batch(out.toByteArray(), piles.upTo, piles.madeAt);
    }

    // ---- changes ----

    /** A reader that does not know all up to this number may have missed removals for good. */
    long forgotten() {
        return board.forgotten();
    }

    /** What a reader that knows all up to {@code known} gets next; null if it knows everything. */
    @Nullable
    Batch after(long known) {
        long number = board.number();
        if (known >= number) {
            return null;
        }
        if (madeAt != number) {
            made.clear();
            madeAt = number;
        }
        return made.computeIfAbsent(known, this::newBatch);
    }

    private Batch newBatch(long known) {
        Piles piles = collect(known, false, BATCH_BYTES);
        ByteArrayOutputStream out = new ByteArrayOutputStream(piles.bytes() + 256);
        if (piles.have(Kind.ELECTION)) {
            put(out, "event: elections\ndata: ");
            piles.array(out, "{\"changed\":[", Kind.ELECTION);
            piles.gone(out, Kind.ELECTION);
        }
        if (piles.have(Kind.QUEUE)) {
            put(out, "event: queues\ndata: ");
            piles.array(out, "{\"changed\":[", Kind.QUEUE);
            put(out, "]}\n\n");
        }
        if (piles.have(Kind.SERVICE)) {
            put(out, "event: services\ndata: ");
            piles.array(out, "{\"changed\":[", Kind.SERVICE);
            piles.gone(out, Kind.SERVICE);
        }
        for (byte[] each : piles.takeOvers) {
            out.writeBytes(event("takeOver", each));
        }
        return new Batch(out.toByteArray(), piles.upTo, piles.madeAt);
    }

    // ---- used by both ----

    private Piles collect(long known, boolean isWhole, int bytesMax) {
        // Leaves later changes to the next batch, so that no name appears twice here and no removal is lost.
        Piles piles = new Piles(known, board.number());
        while (piles.upTo < piles.madeAt) {
            List<State> next = board.after(piles.upTo, ITEMS_MAX);
            if (next.isEmpty()) {
                piles.upTo = piles.madeAt;
            }
            for (State each : next) {
                if (each.number() > piles.madeAt) {
                    piles.upTo = piles.madeAt;
                    break;
                }
                piles.add(each, isWhole);
                if (piles.bytes() > bytesMax) {
                    return piles;
                }
            }
        }
        return piles;
    }

    private static void put(ByteArrayOutputStream out, String ascii) {
        out.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
    }

    /** Objects, separated by commas. */
    private static final class Pile {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final JsonGenerator json = Json.generator(out);
        private boolean isUsed;
        private final List<String> gone = new ArrayList<>();

        Pile() {
            json.setRootValueSeparator(new SerializedString(","));
        }

        void add(Json.Body body) {
            isUsed = true;
            try {
                json.writeStartObject();
                body.write(json);
                json.writeEndObject();
                json.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What is being collected. */
    private static final class Piles {
        private final Map<Kind, Pile> piles = new HashMap<>();
        private final List<byte[]> takeOvers = new ArrayList<>();
        private final long madeAt;
        private long upTo;
        private int bytes;

        Piles(long known, long madeAt) {
            this.upTo = known;
            this.madeAt = madeAt;
        }

        int bytes() {
            return bytes;
        }

        private Pile pile(Kind kind) {
            return piles.computeIfAbsent(kind, none -> new Pile());
        }

        boolean have(Kind kind) {
            Pile pile = pile(kind);
            return pile.isUsed || !pile.gone.isEmpty();
        }

        void add(State state, boolean isWhole) {
            upTo = state.number();
            Json.Body body = state.body();
            Pile pile = pile(state.kind());
            int before = pile.out.size();
            if (body == null) {
                if (isWhole) {
                    return;
                }
                if (state.kind() == Kind.QUEUE) {
                    pile.add(json -> {
                        json.writeStringField("election", state.name());
                        json.writeArrayFieldStart("waiting");
                        json.writeEndArray();
                    });
                } else {
                    pile.gone.add(state.name());
                    bytes += state.name().length() + 3;
                }
            } else if (state.kind() == Kind.TAKE_OVER && !isWhole) {
                byte[] one = Json.object(body);
                takeOvers.add(one);
                bytes += one.length;
            } else {
                pile.add(body);
            }
            bytes += pile.out.size() - before;
        }

        void array(ByteArrayOutputStream to, String opening, Kind kind) {
            put(to, opening);
            to.writeBytes(pile(kind).out.toByteArray());
        }

        void gone(ByteArrayOutputStream to, Kind kind) {
            byte[] names = Json.object(json -> {
                json.writeArrayFieldStart("gone");
                for (String each : pile(kind).gone) {
                    json.writeString(each);
                }
                json.writeEndArray();
            });
            put(to, "],");
            to.write(names, 1, names.length - 1);
            put(to, "\n\n");
        }
    }
}
