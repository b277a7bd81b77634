package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.MalformedMessageException;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.transport.Transport;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PacketTest {
    private static final RecordKey KEY = RecordKey.election("e");
    private static final Epoch EPOCH = new Epoch(7, new Id(1, 2));
    private static final List<Message> MESSAGES =
            List.of(new Message.Prepare(KEY, EPOCH), new Message.Accepted(EPOCH), new Message.AskStatus(new Id(3, 4)));
    private static final List<OrderMessage> TURNS =
            List.of(new OrderMessage.Election(KEY, 5), new OrderMessage.Coordinator(KEY));

    private static List<Message> messages(List<byte[]> payloads) throws MalformedMessageException {
        List<Message> all = new ArrayList<>();
        for (byte[] payload : payloads) {
            all.addAll(Packet.decode(payload).messages());
        }
        return all;
    }

    @Test
    void whatGoesToOnePeerTogetherComesBackAsItWas() throws MalformedMessageException {
        List<byte[]> payloads = Packet.encode(MESSAGES, TURNS);

        assertThat(payloads).hasSize(1);
        assertThat(Packet.decode(payloads.get(0))).isEqualTo(new Packet(MESSAGES, TURNS));
        assertThat(Packet.encode(List.of(), List.of())).isEmpty();
    }

    @Test
    void whatDoesNotFitGoesInSeveralPayloads() throws MalformedMessageException {
        LeaderRecord record =
                LeaderRecord.proposal("c", new Id(1, 1), new Id(2, 2), "x".repeat(60_000), Duration.ofSeconds(1), 0);
        Message accept = new Message.Accept(KEY, EPOCH, new Value(EPOCH, Epoch.NONE, EPOCH, record));
        List<Message> many = Collections.nCopies(40, accept);

        List<byte[]> payloads = Packet.encode(many, TURNS);

        assertThat(payloads).hasSizeBetween(3, 4).allMatch(payload -> payload.length <= Transport.PAYLOAD_MAX);
        assertThat(messages(payloads)).isEqualTo(many);
    }

    @Test
    void hostileBytesGiveAPacketOrOneCheckedFailure() {
        byte[] good = Packet.encode(MESSAGES, TURNS).get(0);
        Random random = new Random(3);
        int malformed = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 1));
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                Packet.decode(bytes);
            } catch (MalformedMessageException e) {
                malformed++;
            }
        }
        assertThat(malformed).isGreaterThan(10_000);
        assertThatThrownBy(() -> Packet.decode(new byte[] {9, 0, 0, 0, 0}))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("kind 9");
    }
}
