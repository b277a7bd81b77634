package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageCodecTest {
    private static final Id CALL = new Id(1, -2);
    private static final Start START = new Start(3, CALL);
    private static final Epoch EPOCH = new Epoch(1_700_000_000_000L, CALL);
    private static final Vote VOTE = new Vote(EPOCH, Bench.held(EPOCH, Epoch.NONE));
    private static final List<Message> ALL = List.of(
            new Message.Look(CALL, 1, Bench.KEY),
            new Message.Shown(CALL, 0, null, 5),
            new Message.Shown(CALL, 0, VOTE, 5),
            new Message.Prepare(RecordKey.election("ü/ ☂"), EPOCH),
            new Message.Promise(EPOCH, START, List.of(START, Start.NONE), VOTE, 11),
            new Message.Accept(Bench.KEY, EPOCH, VOTE.value()),
            new Message.Accept(Bench.KEY, EPOCH, new Value(EPOCH, EPOCH, EPOCH, null), 12),
            new Message.Accepted(EPOCH),
            new Message.Refusal(EPOCH, Message.Reason.FULL, 9),
            new Message.ListKeys(CALL, RecordKey.elections(), "election/a", 5),
            new Message.Listed(CALL, "", List.of(new Message.Listed.At(Bench.KEY, VOTE)), true),
            new Message.Join(2, START, Start.NONE, List.of(CALL)),
            new Message.Welcome(
                    1, START, START, Start.NONE, Message.Ceiling.UNCONFIRMED, 7, List.of(CALL), List.of(START)),
            new Message.AskStatus(CALL),
            new Message.Status(CALL, VoterStatus.Phase.LEARNING, 5, 6, 7, 8, 9, true));

    @Test
    void everyMessageComesBackAsItWas() throws MalformedMessageException {
        for (Message message : ALL) {
            assertThat(MessageCodec.read(ByteBuffer.wrap(MessageCodec.write(message))))
                    .isEqualTo(message);
        }
    }

    @Test
    void aMessageCutAnywhereOrWithMoreBehindItIsMalformed() {
        for (Message message : ALL) {
            byte[] bytes = MessageCodec.write(message);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> MessageCodec.read(ByteBuffer.wrap(cut)))
                        .as("%s cut to %s", message, length)
                        .isInstanceOf(MalformedMessageException.class);
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            assertThatThrownBy(() -> MessageCodec.read(ByteBuffer.wrap(longer)))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void hostileBytesGiveAMessageOrOneCheckedFailure() {
        Random random = new Random(11);
        int read = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = MessageCodec.write(ALL.get(random.nextInt(ALL.size())));
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                MessageCodec.read(ByteBuffer.wrap(bytes));
                read++;
            } catch (MalformedMessageException expected) {
                assertThat(expected).hasMessageContaining("message");
            }
        }
        assertThat(read).isBetween(1, 199_999);
    }

    @Test
    void anAgeIsNotNegative() {
        byte[] bytes = MessageCodec.write(new Message.Accept(Bench.KEY, EPOCH, VOTE.value(), -1));
        assertThatThrownBy(() -> MessageCodec.read(ByteBuffer.wrap(bytes)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("an age is -1 ns, the smallest is 0");
    }

    @Test
    void aMessageBeyondTheBoundIsNeitherWrittenNorRead() {
        Value value =
                new Value(EPOCH, EPOCH, EPOCH, Bench.record("a", 1).withValue("x".repeat(MessageCodec.BYTES_MAX)));
        assertThatThrownBy(() -> MessageCodec.write(new Message.Accept(Bench.KEY, EPOCH, value)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageCodec.read(ByteBuffer.allocate(MessageCodec.BYTES_MAX + 1)))
                .isInstanceOf(MalformedMessageException.class);
    }
}
