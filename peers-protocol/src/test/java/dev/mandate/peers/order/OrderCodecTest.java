package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.RecordKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderCodecTest {
    private static final RecordKey KEY = RecordKey.election("jobs of Zoë/1");
    private static final List<OrderMessage> ALL = List.of(
            new OrderMessage.Election(KEY, Long.MIN_VALUE),
            new OrderMessage.Alive(KEY, -1),
            new OrderMessage.Pass(KEY, 7),
            new OrderMessage.Coordinator(KEY),
            new OrderMessage.Preempt(KEY, Long.MAX_VALUE),
            new OrderMessage.Token(KEY, 9, 63, true, -1),
            new OrderMessage.Token(KEY, 9, 0, false, 0),
            new OrderMessage.TokenArrived(KEY, 3, 5, false));

    @Test
    void readsWhatItWrote() throws MalformedOrderException {
        List<byte[]> parts = OrderCodec.encode(ALL, OrderCodec.MESSAGE_BYTES_MAX);

        assertThat(parts).hasSize(1);
        assertThat(OrderCodec.decode(parts.get(0))).isEqualTo(ALL);
    }

    @Test
    void aMessageTakesItsPathAndFewBytesMore() {
        int path = KEY.path().length();

        assertThat(only(new OrderMessage.Coordinator(KEY))).hasSize(3 + path);
        assertThat(only(new OrderMessage.Election(KEY, 1))).hasSize(11 + path);
        assertThat(only(new OrderMessage.Token(KEY, 1, 1, true, 1))).hasSize(21 + path);
    }

    @Test
    void manyElectionsShareAPartUpToItsLimit() throws MalformedOrderException {
        List<OrderMessage> messages = new ArrayList<>();
        IntStream.range(0, 10_000)
                .forEach(i -> messages.add(new OrderMessage.Election(RecordKey.election("e" + i), i)));

        List<byte[]> parts = OrderCodec.encode(messages, 100_000);

        assertThat(parts).hasSize(3).allSatisfy(part -> assertThat(part).hasSizeLessThanOrEqualTo(100_000));
        List<OrderMessage> read = new ArrayList<>();
        for (byte[] part : parts) {
            read.addAll(OrderCodec.decode(part));
        }
        assertThat(read).isEqualTo(messages);
    }

    @Test
    void writesNothingForNothing() throws MalformedOrderException {
        assertThat(OrderCodec.encode(List.of(), OrderCodec.MESSAGE_BYTES_MAX)).isEmpty();
        assertThat(OrderCodec.decode(new byte[0])).isEmpty();
    }

    @Test
    void theLongestNameFits() throws MalformedOrderException {
        RecordKey longest = RecordKey.election("/".repeat(RecordKey.NAME_BYTES_MAX));
        OrderMessage message = new OrderMessage.Token(longest, 1, 2, true, 3);

        assertThat(OrderCodec.decode(only(message))).containsExactly(message);
    }

    @Test
    void refusesToWriteAKeyBeyondTheLimit() {
        String name = "/".repeat(RecordKey.NAME_BYTES_MAX);
        RecordKey tooLong = new RecordKey(RecordKey.ELECTIONS, List.of(name, name, name));

        assertThatThrownBy(() -> only(new OrderMessage.Coordinator(tooLong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4619 bytes; the limit is 4096");
    }

    @Test
    void refusesPartsThatHaveNoRoomForAMessage() {
        assertThatThrownBy(() -> OrderCodec.encode(ALL, OrderCodec.MESSAGE_BYTES_MAX - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(OrderCodec.MESSAGE_BYTES_MAX - 1 + " bytes");
    }

    @Test
    void whateverIsCutOffIsMalformed() {
        for (OrderMessage message : ALL) {
            byte[] whole = only(message);
            for (int length = 1; length < whole.length; length++) {
                assertMalformed(Arrays.copyOf(whole, length));
            }
        }
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> OrderCodec.decode(new byte[] {8}))
                .isInstanceOf(MalformedOrderException.class)
                .hasMessage("message of kind 8 at byte 0; kinds are 1 to 7");
        assertThatThrownBy(() -> OrderCodec.decode(new byte[] {4, 0x7F, 0x7F, 1}))
                .hasMessage("the path of a key has 32639 bytes; the limit is 4096, and 1 are left");
        assertThatThrownBy(() -> OrderCodec.decode(raw(4, "election/%41", new byte[0])))
                .hasMessage("a path of 12 bytes is not the path of a key");
        assertThatThrownBy(() -> OrderCodec.decode(raw(4, "election", new byte[0])))
                .hasMessage("a path of 8 bytes names no election");
        assertThatThrownBy(() -> OrderCodec.decode(raw(1, "election/a", new byte[7])))
                .hasMessage("message of kind 1 at byte 0 ends after 7 bytes of its fields; it has 8");
        assertThatThrownBy(() -> OrderCodec.decode(raw(5, "election/a", new byte[8])))
                .hasMessage("the term to end is 0; it must be more than 0");
        assertThatThrownBy(() -> OrderCodec.decode(raw(7, "election/a", new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 64, 0})))
                .hasMessage("the starter is member 64; it must be 0 to 63");
        assertThatThrownBy(() -> OrderCodec.decode(raw(7, "election/a", new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 63, 2})))
                .hasMessage("the lap is 2; it must be 0 or 1");
    }

    /**
     * Random bytes, and true messages with a few bytes changed: a list of sensible messages or the one checked failure,
     * and nothing else.
     */
    @Test
    void hostileBytesFailInOneWayOnly() {
        Seed seed = new Seed(11);
        byte[] sound = OrderCodec.encode(ALL, OrderCodec.MESSAGE_BYTES_MAX).get(0);
        int malformed = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] part;
            if (seed.chance(0.3)) {
                part = new byte[seed.upTo(60)];
                for (int at = 0; at < part.length; at++) {
                    part[at] = (byte) seed.nextLong();
                }
            } else {
                part = Arrays.copyOf(sound, sound.length - seed.upTo(2) * seed.upTo(sound.length));
                for (int flips = 1 + seed.upTo(4); flips > 0 && part.length > 0; flips--) {
                    part[seed.upTo(part.length)] ^= (byte) (1 << seed.upTo(8));
                }
            }
            try {
                List<OrderMessage> read = OrderCodec.decode(part);
                // What was read can be written again, to the same bytes.
                assertThat(OrderCodec.encode(read, 10_000)).hasSizeLessThanOrEqualTo(1);
                assertThat(
                                read.isEmpty()
                                        ? new byte[0]
                                        : OrderCodec.encode(read, 10_000).get(0))
                        .isEqualTo(part);
            } catch (MalformedOrderException e) {
                malformed++;
                assertThat(e.getMessage()).hasSizeLessThan(120);
            }
        }
        assertThat(malformed).isBetween(12_000, 49_999);
    }

    private static byte[] only(OrderMessage message) {
        List<byte[]> parts = OrderCodec.encode(List.of(message), OrderCodec.MESSAGE_BYTES_MAX);
        assertThat(parts).hasSize(1);
        return parts.get(0);
    }

    private static byte[] raw(int kind, String path, byte[] fields) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        byte[] raw = new byte[3 + bytes.length + fields.length];
        raw[0] = (byte) kind;
        raw[2] = (byte) bytes.length;
        System.arraycopy(bytes, 0, raw, 3, bytes.length);
        System.arraycopy(fields, 0, raw, 3 + bytes.length, fields.length);
        return raw;
    }

    private static void assertMalformed(byte[] part) {
        assertThatThrownBy(() -> OrderCodec.decode(part)).isInstanceOf(MalformedOrderException.class);
    }
}
