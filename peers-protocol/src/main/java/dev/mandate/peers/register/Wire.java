package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.RecordJson;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The building blocks of messages, as bytes. Reading allocates no more than the available bytes justify. */
final class Wire {
    /** The longest record, in bytes: a message with it fits. */
    static final int RECORD_BYTES_MAX = 1 << 19;

    private Wire() {}

    /** Collects bytes up to a bound. */
    static final class Out {
        private final int bytesMax;
        private ByteBuffer bytes = ByteBuffer.allocate(256);

        Out(int bytesMax) {
            this.bytesMax = bytesMax;
        }

        private ByteBuffer room(int more) {
            if (bytes.remaining() < more) {
                int needed = bytes.position() + more;
                if (needed > bytesMax) {
                    throw new IllegalArgumentException("a message of " + needed + " bytes or more; the limit is "
                            + bytesMax + ", so shorten the value");
                }
                bytes = ByteBuffer.allocate(Math.min(bytesMax, Math.max(needed, bytes.capacity() * 2)))
                        .put(bytes.flip());
            }
            return bytes;
        }

        Out put(int value) {
            room(1).put((byte) value);
            return this;
        }

        Out putInt(int value) {
            room(4).putInt(value);
            return this;
        }

        Out putLong(long value) {
            room(8).putLong(value);
            return this;
        }

        Out put(Id id) {
            return putLong(id.high()).putLong(id.low());
        }

        Out put(Epoch epoch) {
            return putLong(epoch.counter()).put(epoch.id());
        }

        Out put(Start start) {
            return putLong(start.number()).put(start.id());
        }

        Out put(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            putInt(utf8.length);
            room(utf8.length).put(utf8);
            return this;
        }

        Out put(RecordKey key) {
            return put(key.path());
        }

        Out put(@Nullable Vote vote) {
            if (vote == null) {
                return put(0);
            }
            return put(1).put(vote.epoch()).put(vote.value());
        }

        Out put(Value value) {
            put(value.write()).put(value.basis()).put(value.liveness());
            int before = bytes.position();
            put(value.record() == null ? "" : RecordJson.write(value.record()));
            if (bytes.position() - before > RECORD_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "a record of more than " + RECORD_BYTES_MAX + " bytes, which is the limit; shorten the value");
            }
            return this;
        }

        Out putIds(List<Id> ids) {
            put(ids.size());
            ids.forEach(this::put);
            return this;
        }

        Out putStarts(List<Start> starts) {
            put(starts.size());
            starts.forEach(this::put);
            return this;
        }

        byte[] toBytes() {
            byte[] all = new byte[bytes.position()];
            bytes.flip().get(all);
            return all;
        }
    }

    /** Reads what {@link Out} wrote; otherwise {@link IllegalArgumentException} or {@link BufferUnderflowException}. */
    static final class In {
        private final ByteBuffer bytes;

        In(ByteBuffer bytes) {
            this.bytes = bytes.slice();
        }

        int remaining() {
            return bytes.remaining();
        }

        int get() {
            return bytes.get() & 0xFF;
        }

        int get(int max, String what) {
            int value = get();
            if (value > max) {
                throw new IllegalArgumentException(what + " is " + value + ", the largest is " + max);
            }
            return value;
        }

        boolean flag() {
            return get(1, "a flag") == 1;
        }

        int getInt() {
            return bytes.getInt();
        }

        long getLong() {
            return bytes.getLong();
        }

        long counter() {
            return new Epoch(getLong(), Id.NONE).counter();
        }

        long age() {
            long age = getLong();
            if (age < 0) {
                throw new IllegalArgumentException("an age is " + age + " ns, the smallest is 0");
            }
            return age;
        }

        Id id() {
            return new Id(bytes.getLong(), bytes.getLong());
        }

        Epoch epoch() {
            return new Epoch(bytes.getLong(), id());
        }

        Start start() {
            return new Start(bytes.getLong(), id());
        }

        String text() {
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                throw new IllegalArgumentException(
                        "a text of " + length + " bytes where " + bytes.remaining() + " are left");
            }
            ByteBuffer utf8 = bytes.slice(bytes.position(), length);
            bytes.position(bytes.position() + length);
            try {
                CharBuffer chars = StandardCharsets.UTF_8.newDecoder().decode(utf8);
                return chars.toString();
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException("a text that is not UTF-8", e);
            }
        }

        RecordKey key() {
            return RecordKey.parse(text());
        }

        @Nullable
        Vote vote() {
            return flag() ? new Vote(epoch(), value()) : null;
        }

        Value value() {
            Epoch write = epoch();
            Epoch basis = epoch();
            Epoch liveness = epoch();
            if (bytes.remaining() >= Integer.BYTES && bytes.getInt(bytes.position()) > RECORD_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "a record of " + bytes.getInt(bytes.position()) + " bytes; the limit is " + RECORD_BYTES_MAX);
            }
            String record = text();
            return new Value(write, basis, liveness, record.isEmpty() ? null : RecordJson.read(record));
        }

        List<Id> ids(int max) {
            int count = get(max, "a number of ids");
            List<Id> ids = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ids.add(id());
            }
            return ids;
        }

        List<Start> starts() {
            int count = get(Group.VOTERS_MAX, "a number of starts");
            List<Start> starts = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                starts.add(start());
            }
            return starts;
        }
    }
}
