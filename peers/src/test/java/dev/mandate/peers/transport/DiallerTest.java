package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreThreads;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever ends a dial, another one follows. */
class DiallerTest {
    private static final PeerAddress MEMBER = new PeerAddress("127.0.0.1", 1);

    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger breaks = new AtomicInteger();
    private volatile Runnable reading = () -> {};
    private final List<SocketChannel> dialled = new CopyOnWriteArrayList<>();
    private final Link link = new Link(MEMBER.toString(), true, new SendQueue(1, 1 << 20, new AtomicLong(), 1 << 20));

    /** As a JVM that may have no more threads; JUnit itself would not survive its OutOfMemoryError. */
    private final ThreadFactory threads = work -> {
        if (refusals.getAndDecrement() > 0) {
            throw new InternalError("unable to create native thread");
        }
        return StoreThreads.daemon("mandate-dialler-test-lookup", work);
    };

    private SelectorLoop loop;
    private Lookups lookups;

    @BeforeEach
    void start() throws IOException {
        loop = new SelectorLoop("mandate-dialler-test", () -> {}, () -> {});
        RotatingSecret<GroupSecret> secret = RotatingSecret.inFile("a file", () -> {
            reads.incrementAndGet();
            reading.run();
            return TestGroup.SECRET;
        });
        Consumer<Runnable> tasks = task -> {
            if (breaks.getAndDecrement() > 0) {
                throw new InternalError("no task can be added");
            }
            loop.execute(task);
        };
        lookups = new Lookups(InetAddress::getAllByName, secret, tasks, threads);
        loop.start();
    }

    @AfterEach
    void stop() {
        lookups.close();
        assertThat(loop.stop(TestGroup.PLENTY)).isTrue();
    }

    private void dial() {
        LoopResources resources = new LoopResources(loop, TestGroup.PACE, 1 << 20);
        Dialler dialler = new Dialler(MEMBER, link, lookups, resources, false, () -> 0, (channel, member, secret) -> {
            dialled.add(channel);
            throw new InternalError("of a test");
        });
        loop.execute(dialler::dial);
    }

    @Test
    void whereNoThreadCouldBeStartedItDialsAgain() {
        refusals.set(3);
        dial();
        Await.until("a dial", TestGroup.PLENTY, () -> !dialled.isEmpty());
    }

    @Test
    void aLookUpThatThrowsIsFollowedByAnother() {
        refusals.set(1);
        breaks.set(1);
        dial();
        Await.until("a dial", TestGroup.PLENTY, () -> !dialled.isEmpty());
        assertThat(breaks.get()).isNegative();
    }

    @Test
    void oneReadOfTheSecretThatHangsKeepsNobodyElseFromDialling() {
        CountDownLatch goOn = new CountDownLatch(1);
        int before = reads.get();
        reading = () -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try {
            List<Lookups.Found> found = new CopyOnWriteArrayList<>();
            lookups.lookUp(MEMBER, found::add);
            Await.until("the file to be read", TestGroup.PLENTY, () -> reads.get() > before);
            for (int i = 0; i < 8; i++) {
                lookups.lookUp(MEMBER, found::add);
            }
            lookups.readAgain();
            Await.until("the others", TestGroup.PLENTY, () -> found.size() == 8);
            assertThat(found)
                    .allMatch(each -> each.trouble() == null && !each.secrets().isEmpty());
            assertThat(reads).hasValue(before + 1);
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void itSaysThatNoThreadCouldBeStarted() {
        refusals.set(Integer.MAX_VALUE);
        dial();
        Await.until(
                "the trouble",
                TestGroup.PLENTY,
                () -> link.status()
                        .trouble()
                        .equals("the name 127.0.0.1 can't be looked up: java.lang.InternalError: unable to create"
                                + " native thread"));
    }

    @Test
    void whereAConnectionFailsForWantOfMemoryItDialsAgain() {
        dial();
        Await.until("two dials", TestGroup.PLENTY, () -> dialled.size() >= 2);
        assertThat(dialled.get(0).isOpen()).isFalse();
        assertThat(link.status().trouble()).isEqualTo("cannot open a socket: of a test");
    }

    @Test
    void theSecretIsReadAgainAfterAReadForWhichNoThreadCouldBeStarted() {
        int before = reads.get();
        refusals.set(1);
        lookups.readAgain();
        assertThat(reads).hasValue(before);
        lookups.readAgain();
        Await.until("another read", TestGroup.PLENTY, () -> reads.get() > before);
    }
}
