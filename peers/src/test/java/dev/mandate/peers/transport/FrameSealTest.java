package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FrameSealTest {
    private static final byte[] KEY = "a key of one direction".getBytes(StandardCharsets.US_ASCII);

    private final FrameSeal writer = new FrameSeal(KEY);
    private final FrameSeal reader = new FrameSeal(KEY);

    private static ByteBuffer sealed(FrameSeal seal, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer frame = ByteBuffer.allocate(bytes.length + FrameSeal.OVERHEAD);
        seal.seal(FrameType.DATA, bytes, frame);
        assertThat(frame.hasRemaining()).isFalse();
        return frame.flip().slice(FrameDecoder.HEADER, frame.limit() - FrameDecoder.HEADER);
    }

    private static String text(ByteBuffer payload) {
        return StandardCharsets.US_ASCII.decode(payload).toString();
    }

    private static void assertRefused(FrameSeal seal, ByteBuffer frame) {
        assertThatThrownBy(() -> seal.open(frame)).isInstanceOf(FrameException.class);
    }

    @Test
    void framesVerifyInTheirOrder() throws FrameException {
        for (String each : new String[] {"one", "", "three"}) {
            assertThat(text(reader.open(sealed(writer, each)))).isEqualTo(each);
        }
    }

    @Test
    void aRepeatedFrameIsRefused() throws FrameException {
        ByteBuffer frame = sealed(writer, "one");
        reader.open(frame.duplicate());
        assertRefused(reader, frame);
    }

    @Test
    void aFrameOutOfItsOrderIsRefused() {
        sealed(writer, "one");
        assertRefused(reader, sealed(writer, "two"));
    }

    @Test
    void aFrameOfAnotherConnectionIsRefused() {
        FrameSeal other = new FrameSeal("a key of another one".getBytes(StandardCharsets.US_ASCII));
        assertRefused(reader, sealed(other, "one"));
    }

    @Test
    void everyFlippedBitIsNoticed() {
        int bits = 8 * sealed(new FrameSeal(KEY), "one").remaining();
        for (int bit = 0; bit < bits; bit++) {
            ByteBuffer frame = sealed(new FrameSeal(KEY), "one");
            frame.put(bit / 8, (byte) (frame.get(bit / 8) ^ 1 << bit % 8));
            assertRefused(new FrameSeal(KEY), frame);
        }
    }

    @Test
    void everyTruncationIsNoticed() {
        int length = sealed(new FrameSeal(KEY), "one").remaining();
        for (int cut = 1; cut < length; cut++) {
            assertRefused(new FrameSeal(KEY), sealed(new FrameSeal(KEY), "one").slice(0, cut));
        }
    }
}
