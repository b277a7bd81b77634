package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The pieces of {@code docs/testing.md}, which quotes them line by line. */
@Timeout(60)
class TestingPageTest {
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

    /** The program under test: sends mails from a queue, only while it leads. */
    static final class Mailer implements AutoCloseable {
        private final BlockingQueue<String> queue;
        private final Consumer<String> out;
        private final Candidacy candidacy;

        Mailer(Election election, BlockingQueue<String> queue, Consumer<String> out) {
            this.queue = queue;
            this.out = out;
            this.candidacy = election.runWhileLeader("10.0.0.7:8080", this::send);
        }

        private void send(Leadership leadership) throws InterruptedException {
            while (true) {
                String mail = queue.take();
                leadership.ensureValid();
                out.accept(mail + " by " + leadership.fencingToken());
            }
        }

        boolean isReady() {
            return candidacy.status().isLeader();
        }

        @Override
        public void close() {
            candidacy.close();
        }
    }

    @Test
    void mailsAreSentOnlyWhileLeading() {
        TestElection election = TestElection.vacant("mailer");
        try (Mailer mailer = new Mailer(election, queue, sent::add)) {
            queue.add("hello");
            election.advance(Duration.ofMinutes(10)); // of virtual time
            assertThat(sent).isEmpty();

            election.elect(42);
            assertThat(sent).containsExactly("hello by 42");

            election.lose(EndReason.LEASE_RAN_OUT); // the work has been interrupted when this returns
            assertThat(mailer.isReady()).isFalse();
            queue.add("bye");
            assertThat(sent).hasSize(1);

            election.elect(43);
            assertThat(sent).containsExactly("hello by 42", "bye by 43");
        }
    }

    @Test
    void nothingIsSentWhileTheStoreIsDown() {
        TestElection election = TestElection.leading("mailer", 42);
        try (Mailer mailer = new Mailer(election, queue, sent::add)) {
            election.cutStore();
            election.advance(Duration.ofSeconds(10)); // the default lease

            assertThat(mailer.isReady()).isFalse();
            assertThat(election.view()).isInstanceOf(LeaderView.Unknown.class);
        }
    }

    /** The same with the extension. */
    @Nested
    class MailerTest {
        @RegisterExtension
        static final MandateExtension MANDATE = MandateExtension.requiringClosed();

        @Test
        void anotherInstanceLeads(TestElectionClient client) {
            client.election("mailer").electOther("10.0.0.8:8080", 41);
            try (Mailer mailer = new Mailer(client.election("mailer"), new LinkedBlockingQueue<>(), mail -> {})) {
                assertThat(mailer.isReady()).isFalse();
            }
        }
    }

    @Test
    void twoInstancesInRealTime() throws InterruptedException {
        BlockingQueue<String> led = new LinkedBlockingQueue<>();
        try (MemoryFaults store = MemoryFaults.of("mails");
                ElectionClient a = ElectionClient.connect("memory:mails?lease=1s&as=a");
                ElectionClient b = ElectionClient.connect("memory:mails?lease=1s&as=b")) {
            a.election("mailer").runWhileLeader("a", leadership -> lead("a", led));
            assertThat(led.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
            b.election("mailer").runWhileLeader("b", leadership -> lead("b", led));

            store.only("a").cutOff();

            assertThat(led.poll(30, TimeUnit.SECONDS)).isEqualTo("b");
        }
    }

    private static void lead(String who, BlockingQueue<String> led) throws InterruptedException {
        led.add(who);
        new CountDownLatch(1).await();
    }
}
