package dev.mandate.peers.transport;

import static dev.mandate.peers.transport.TestGroup.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A process that is stopped: its kernel still answers for it. */
class StalledPeerTest {
    /** Long enough for the last word to come in time. */
    private static final LinkPace PATIENT = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofSeconds(6));

    /** What has not left cannot be answered, and its last word is no answer. */
    @Test
    void whoReadsNothingAfterItsLastWordIsFoundOut() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(PATIENT);
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0), 4_096)) {
                assertThat(raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET))
                        .isEmpty();
                told.awaitConnected(group.id(1));
                Await.until(
                        "all room to be taken",
                        TestGroup.PLENTY,
                        () -> !here.send(group.id(1), new byte[Transport.PAYLOAD_MAX]));
                raw.send(bytes("the last word"));
                told.awaitText("the last word");

                assertThat(told.awaitDisconnected(group.id(1)).reason()).contains("did not answer within 6000 ms");
            }
        }
    }
}
