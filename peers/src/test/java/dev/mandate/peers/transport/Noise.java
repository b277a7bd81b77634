package dev.mandate.peers.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.mandate.spi.Id;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Frames, with their lengths, as strangers send them: none of them is the right one where it comes. */
final class Noise {
    /** What is wrong with a frame. */
    enum Kind {
        TRUNCATED,
        OVERSIZED,
        FORGED,
        REPLAYED,
        FOREIGN,
        RANDOM
    }

    private static final List<byte[]> FOREIGN = List.of(
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(ISO_8859_1),
            "PING\r\n*1\r\n$4\r\nINFO\r\n".getBytes(ISO_8859_1),
            new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 1, 2, 3, 4, 5},
            new byte[] {0, 0, 0, 8, 4, (byte) 0xd2, 0x16, 0x2f},
            "SSH-2.0-OpenSSH_9.2\r\n".getBytes(ISO_8859_1));

    private final Random random;
    private final List<byte[]> recorded;

    /**
     * Noise of a seed.
     *
     * @param recorded a genuine conversation, of which each frame is sent again
     */
    Noise(long seed, List<byte[]> recorded) {
        this.random = new Random(seed);
        this.recorded = recorded;
    }

    byte[] frame(Kind kind) {
        return switch (kind) {
            case TRUNCATED -> {
                byte[] whole = any();
                byte[] cut = java.util.Arrays.copyOf(
                        whole, FrameDecoder.HEADER + random.nextInt(whole.length - FrameDecoder.HEADER));
                if (random.nextBoolean()) {
                    // Whole by its length, which is that of less.
                    ByteBuffer.wrap(cut).putInt(0, Math.max(1, cut.length - FrameDecoder.HEADER));
                }
                yield cut;
            }
            case OVERSIZED ->
                ByteBuffer.allocate(64)
                        .putInt(random.nextBoolean() ? -1 - random.nextInt(1 << 30) : 30_000 + random.nextInt(1 << 30))
                        .array();
            case FORGED -> {
                byte[] forged = any().clone();
                int at = FrameDecoder.HEADER + random.nextInt(forged.length - FrameDecoder.HEADER);
                forged[at] ^= (byte) (1 << random.nextInt(8));
                yield forged;
            }
            case REPLAYED -> any();
            case FOREIGN -> FOREIGN.get(random.nextInt(FOREIGN.size()));
            case RANDOM -> {
                byte[] noise = new byte[FrameDecoder.HEADER + 1 + random.nextInt(200)];
                random.nextBytes(noise);
                ByteBuffer.wrap(noise).putInt(noise.length - FrameDecoder.HEADER);
                yield noise;
            }
        };
    }

    private byte[] any() {
        return recorded.get(random.nextInt(recorded.size()));
    }

    Kind kind() {
        return Kind.values()[random.nextInt(Kind.values().length)];
    }

    /** The frames of a conversation between two processes that know the secret, payloads included. */
    static List<byte[]> conversation(Introduction initiator, Introduction responder, GroupSecret secret)
            throws FrameException {
        InitiatorHandshake from = new InitiatorHandshake(
                initiator, secret.keys().get(0), new byte[Handshake.NONCE], any -> Optional.empty());
        ResponderHandshake to =
                new ResponderHandshake(responder, secret.keys(), new byte[Handshake.NONCE], any -> Optional.empty());
        List<byte[]> frames = new ArrayList<>();
        byte[] frame = from.hello();
        FrameSeal seal = null;
        while (frame != null) {
            frames.add(frame);
            HandshakeStep there = to.on(Handshake.unframed(frame));
            byte[] answer = there instanceof HandshakeStep.Send send ? send.frame() : null;
            frame = null;
            if (answer != null) {
                frames.add(answer);
                HandshakeStep here = from.on(Handshake.unframed(answer));
                if (here instanceof HandshakeStep.Established end) {
                    seal = end.outgoing();
                    frame = end.frame();
                } else {
                    frame = ((HandshakeStep.Send) here).frame();
                }
            }
        }
        for (int i = 0; i < 8; i++) {
            ByteBuffer data = ByteBuffer.allocate(20 + FrameSeal.OVERHEAD);
            java.util.Objects.requireNonNull(seal).seal(FrameType.DATA, new byte[20], data);
            frames.add(data.array());
        }
        return frames;
    }

    static Id start(long number) {
        return new Id(number, number);
    }
}
