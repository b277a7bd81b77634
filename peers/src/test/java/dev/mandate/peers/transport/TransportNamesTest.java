package dev.mandate.peers.transport;

import static dev.mandate.peers.transport.TestGroup.IMPATIENT;
import static dev.mandate.peers.transport.TestGroup.assertExchange;
import static dev.mandate.peers.transport.TestGroup.isRunning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.testkit.Await;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who is who: names that move or hang, lists that differ, two processes of one member. */
class TransportNamesTest {
    // ---- names ----

    @Test
    void aNameIsResolvedAtEachDial() {
        Map<String, String> names = new ConcurrentHashMap<>();
        AtomicInteger looks = new AtomicInteger();
        try (TestGroup group = new TestGroup("127.0.0.1", "moving.test")) {
            names.put("127.0.0.1", "127.0.0.1");
            names.put("moving.test", "127.0.0.2");
            group.resolver(host -> {
                if (host.equals("moving.test")) {
                    looks.incrementAndGet();
                }
                String address = names.get(host);
                if (address == null) {
                    throw new UnknownHostException("no such name");
                }
                return InetAddress.getAllByName(address);
            });
            Recorder told = new Recorder();
            TransportSettings there = group.settings(1);
            Recorder moved = new Recorder();
            Transport first = group.open(there, moved);
            Transport here = group.open(0, told);
            told.awaitConnected(group.id(1));
            first.close();
            Await.until("many looks", TestGroup.PLENTY, () -> looks.get() > 5);
            names.remove("moving.test");
            Await.until(
                    "its trouble",
                    TestGroup.PLENTY,
                    () -> here.status().get(0).trouble().contains("the name moving.test can't be resolved"));

            // It moves.
            names.put("moving.test", "127.0.0.3");
            Recorder again = new Recorder();
            TransportSettings next = group.settings(1);
            group.open(next, again);
            Peer process = new Peer(group.id(1), next.startId(), true);
            Await.until("it at its new address", TestGroup.PLENTY, () -> told.connected.contains(process));
        }
    }

    @Test
    void aNameThatHangsHoldsUpNobodyElse() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch isHanging = new CountDownLatch(1);
        try (TestGroup group = new TestGroup("127.0.0.1", "127.0.0.1", "hanging.test")) {
            group.pace(IMPATIENT).resolver(host -> {
                if (host.equals("hanging.test")) {
                    isHanging.countDown();
                    await(goOn);
                }
                return InetAddress.getAllByName("127.0.0.1");
            });
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            isHanging.await();
            assertExchange(group.open(1, new Recorder()), group.id(0), told, "hello");
            assertThat(here.status().get(1).isUp()).isFalse();
            here.close();
            assertThat(isRunning("mandate-peers-" + group.id(0))).isFalse();
        } finally {
            goOn.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anAddressThatIsInUseOrAnotherMachinesIsNamed() throws Exception {
        try (TestGroup group = new TestGroup("127.0.0.1", "192.0.2.1", "nowhere.test")) {
            group.resolver(host -> {
                if (host.equals("nowhere.test")) {
                    throw new UnknownHostException("no such name");
                }
                return InetAddress.getAllByName(host);
            });
            group.open(0, new Recorder());
            assertThatThrownBy(() -> group.open(0, new Recorder()))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContainingAll(
                            "can't listen on " + group.id(0), "in use", "runs already", "stop what else uses it");
            assertThatThrownBy(() -> group.open(1, new Recorder()))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContainingAll("can't listen on " + group.id(1), "bind=");
            assertThatThrownBy(() -> group.open(2, new Recorder()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContainingAll("nowhere.test", "bind=ADDRESS");
        }
    }

    // ---- identities ----

    @Test
    void listsThatDifferAreShownOnBothSides() throws Exception {
        try (TestGroup group = TestGroup.of(3)) {
            Recorder here = new Recorder();
            group.open(0, here);
            TransportSettings mine = group.settings(1);
            TransportSettings shorter = new TransportSettings(
                    List.of(group.member(0), group.member(1)),
                    group.member(1),
                    null,
                    mine.secret(),
                    mine.startId(),
                    mine.terms(),
                    mine.pace(),
                    mine.limits());
            Recorder there = new Recorder();
            group.open(shorter, there);
            for (Recorder each : List.of(here, there)) {
                assertThat(each.awaitRefused(Refusal.Kind.LIST_DIFFERS).sentence())
                        .contains(shorter.membersText() + ",", mine.membersText(), "stop all members");
            }
            assertThat(here.connected).isEmpty();
        }
    }

    @Test
    void twoLiveProcessesOfOneMemberAreToldOf() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(0, told);
            TransportSettings real = group.settings(1);
            group.open(real, new Recorder());
            told.awaitConnected(group.id(1));
            TransportSettings copy = group.settings(1);
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                assertThat(raw.introduce(copy, group.member(0), TestGroup.SECRET))
                        .isPresent();
            }
            assertThat(told.awaitRefused(Refusal.Kind.SELF_TAKEN).sentence())
                    .isEqualTo("two processes have self=" + group.id(1) + ": the one started as " + real.startId()
                            + ", and the one started as " + copy.startId() + "; stop one of them");
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                assertThat(raw.introduce(copy, group.member(0), TestGroup.SECRET))
                        .hasValueSatisfying(
                                refusal -> assertThat(refusal.kind()).isEqualTo(Refusal.Kind.SELF_TAKEN));
            }
            assertThat(told.disconnected).isEmpty();
        }
    }

    @Test
    void theFormerProcessOfAMemberThatLeftNoTraceMakesRoomForTheNewOne() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(IMPATIENT);
            Recorder told = new Recorder();
            group.open(0, told);
            try (RawPeer former = RawPeer.silent(group.member(0))) {
                former.introduce(group.settings(1), group.member(0), TestGroup.SECRET);
                told.awaitConnected(group.id(1));
                // The host of the former one is gone, and no packet says so.
                TransportSettings next = group.settings(1);
                group.open(next, new Recorder());
                Await.until("the new one", TestGroup.PLENTY, () -> told.connected.size() == 2);
                assertThat(told.connected.get(1).startId()).isEqualTo(next.startId());
                assertThat(told.refused).isEmpty();
            }
        }
    }

    @Test
    void noMoreGuestsThanTheBoundAreTaken() {
        LinkLimits two = new LinkLimits(100, 2L << 20, 2L << 20, 2, 16, 4L << 20);
        try (TestGroup group = TestGroup.of(1)) {
            group.limits(two);
            Recorder told = new Recorder();
            group.open(0, told);
            Recorder[] guests = {new Recorder(), new Recorder(), new Recorder()};
            Transport first = group.open(-1, guests[0]);
            group.open(-1, guests[1]);
            guests[0].awaitConnected(group.id(0));
            guests[1].awaitConnected(group.id(0));
            group.open(-1, guests[2]);
            assertThat(guests[2].awaitRefused(Refusal.Kind.TOO_MANY_GUESTS).sentence())
                    .contains(group.id(0) + " has 2 guests");
            first.close();
            guests[2].awaitConnected(group.id(0));
        }
    }
}
