package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameDecoderTest {
    private static final int MAX = 1_000;

    private final Budget budget = new Budget(10 * MAX);
    private final FrameDecoder decoder = new FrameDecoder(MAX, budget);

    private static byte[] frame(int length, int seed) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return ByteBuffer.allocate(FrameDecoder.HEADER + length)
                .putInt(length)
                .put(content)
                .array();
    }

    private static byte[] content(byte[] frame) {
        return java.util.Arrays.copyOfRange(frame, FrameDecoder.HEADER, frame.length);
    }

    private void feed(byte[] bytes, int from, int to, List<byte[]> frames) throws FrameException {
        // As with a socket, what was read is overwritten by the next read.
        ByteBuffer in = ByteBuffer.wrap(java.util.Arrays.copyOfRange(bytes, from, to));
        for (ByteBuffer frame = decoder.next(in); frame != null; frame = decoder.next(in)) {
            byte[] copy = new byte[frame.remaining()];
            frame.get(copy);
            frames.add(copy);
        }
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void framesSurviveEveryWayToCutThem() throws FrameException {
        ByteBuffer stream = ByteBuffer.allocate(4_000);
        List<byte[]> sent = new ArrayList<>();
        for (int length : new int[] {1, 2, 70, 1, MAX, 3, 200}) {
            byte[] frame = frame(length, length);
            sent.add(content(frame));
            stream.put(frame);
        }
        byte[] bytes = java.util.Arrays.copyOf(stream.array(), stream.position());
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            List<byte[]> got = new ArrayList<>();
            int most = 1 + random.nextInt(round % 2 == 0 ? 8 : bytes.length);
            for (int from = 0; from < bytes.length; ) {
                int to = Math.min(bytes.length, from + 1 + random.nextInt(most));
                feed(bytes, from, to, got);
                from = to;
            }
            assertThat(got).containsExactlyElementsOf(sent);
            assertThat(budget.taken()).isZero();
        }
    }

    @Test
    void aFrameOfExactlyTheMostPassesAndOneByteMoreDoesNot() throws FrameException {
        List<byte[]> got = new ArrayList<>();
        byte[] most = frame(MAX, 1);
        feed(most, 0, most.length, got);
        assertThat(got).containsExactly(content(most));

        byte[] more = frame(MAX + 1, 1);
        assertThatThrownBy(() -> feed(more, 0, FrameDecoder.HEADER, got))
                .isInstanceOf(FrameException.class)
                .hasMessage("a frame claims 1001 bytes; it must have 1 to 1000");
    }

    @Test
    void aFrameThatClaimsNothingOrANegativeLengthIsRefused() {
        assertThatThrownBy(() -> decoder.next(ByteBuffer.allocate(4))).isInstanceOf(FrameException.class);
        ByteBuffer negative = ByteBuffer.allocate(4).putInt(-1).flip();
        assertThatThrownBy(() -> new FrameDecoder(MAX, budget).next(negative))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("4294967295");
    }

    @Test
    void aClaimAloneReservesNextToNothing() throws FrameException {
        byte[] frame = frame(MAX, 1);
        feed(frame, 0, FrameDecoder.HEADER + 1, new ArrayList<>());
        assertThat(decoder.reserved()).isLessThanOrEqualTo(64);
        feed(frame, FrameDecoder.HEADER + 1, 300, new ArrayList<>());
        assertThat(decoder.reserved()).isLessThanOrEqualTo(600);
        decoder.release();
        assertThat(budget.taken()).isZero();
    }

    /** A file without content is as long as no array can be. */
    @Test
    void whatCouldNotBeReservedIsGivenBack(@TempDir Path folder) throws Exception {
        try (FileChannel file = FileChannel.open(
                folder.resolve("long"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE - 4).flip());
            file.write(ByteBuffer.allocate(1), Integer.MAX_VALUE - 2L);
            ByteBuffer in = file.map(FileChannel.MapMode.READ_ONLY, 0, Integer.MAX_VALUE - 1L);
            Budget plenty = new Budget(Long.MAX_VALUE);
            FrameDecoder tooMuch = new FrameDecoder(Integer.MAX_VALUE, plenty);

            assertThatThrownBy(() -> tooMuch.next(in)).isInstanceOf(OutOfMemoryError.class);

            assertThat(plenty.taken()).isEqualTo(tooMuch.reserved());
            tooMuch.release();
            assertThat(plenty.taken()).isZero();
        }
    }

    @Test
    void partialFramesOfManyShareOneBudget() throws FrameException {
        Budget small = new Budget(1_200);
        byte[] frame = frame(MAX, 1);
        new FrameDecoder(MAX, small).next(ByteBuffer.wrap(frame, 0, frame.length - 1));
        FrameDecoder second = new FrameDecoder(MAX, small);
        assertThatThrownBy(() -> second.next(ByteBuffer.wrap(frame, 0, frame.length - 1)))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("no memory left");
    }
}
