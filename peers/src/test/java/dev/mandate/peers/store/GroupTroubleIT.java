package dev.mandate.peers.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be wrong with a group, and what is said of it. */
class GroupTroubleIT {
    private static final RecordKey KEY = RecordKey.election("trouble");
    private static final Duration PLENTY = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private LiveGroup group(String scheme, int members, String parameters) {
        return new LiveGroup(scheme, members, directory, parameters).start();
    }

    private static CallContext call() {
        return CallContext.within(Duration.ofMillis(500));
    }

    private static <T> T of(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static Throwable failure(ElectionStore store) {
        return catchThrowable(() -> of(store.read(KEY, call())));
    }

    private static LeaderRecord record(Duration lease) {
        return LeaderRecord.proposal("c", new Id(1, 1), new Id(2, 2), "v", lease, 0);
    }

    private static String other(LiveGroup group) {
        int port = ServerPorts.choose(List.of("other")).get("other");
        String list = java.util.stream.IntStream.range(0, group.size())
                .mapToObj(group::address)
                .collect(Collectors.joining(","));
        return list + ",127.0.0.1:" + port + "?self=127.0.0.1:" + port;
    }

    /** A member with another list keeps the whole group from voting, until it is gone for a while. */
    @Test
    void listsThatDifferStopTheVotes() throws Exception {
        try (LiveGroup group = group("peers", 3, "&maxLease=1s")) {
            ElectionStore stranger =
                    LiveGroup.open("peers://" + other(group) + "&state=" + directory.resolve("s") + "&maxLease=1s");
            try (stranger) {
                for (int i = 0; i < 3; i++) {
                    ElectionStore member = group.store(i);
                    Await.until("it to notice", PLENTY, () -> failure(member) instanceof StoreSetupException);
                }
                assertThat(failure(group.store(0)))
                        .hasMessageContaining("lists of members differ")
                        .hasMessageContaining(group.address(2) + ",127.0.0.1:");
                Await.until("the other to notice", PLENTY, () -> failure(stranger) instanceof StoreSetupException);
            }
            Await.until("all to vote again", PLENTY, () -> LiveGroup.answers(group.store(1)));
        }
    }

    @Test
    void quarantinesThatDifferStopTheVotes() throws Exception {
        try (LiveGroup group = group("peers", 3, "&maxLease=1s")) {
            group.stop(2);
            try (ElectionStore longer = LiveGroup.open(group.member(2).replace("maxLease=1s", "maxLease=2s"))) {
                assertThat(longer.traits().leaseMax()).isEqualTo(Duration.ofSeconds(2));
                Await.until("it to notice", PLENTY, () -> failure(group.store(0)) instanceof StoreSetupException);
                assertThat(failure(group.store(0)))
                        .hasMessageContaining("maxLease=1s")
                        .hasMessageContaining("maxLease=2s");
            }
            group.restart(2);
            Await.until("all to vote again", PLENTY, () -> LiveGroup.answers(group.store(0)));
        }
    }

    @Test
    void aGuestWithAnotherListIsMerelyRefused() throws Exception {
        try (LiveGroup group = group("peers", 3, "&maxLease=1s");
                ElectionStore guest =
                        LiveGroup.open("peers://" + group.address(0) + "," + group.address(1) + "?maxLease=1s")) {
            assertThat(failure(guest))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("lists of members differ");
            assertThat(LiveGroup.answers(group.store(0))).isTrue();
        }
    }

    @Test
    void whoIsMissingIsNamed() throws Exception {
        try (LiveGroup group = group("peers", 3, "&maxLease=1s")) {
            group.stop(0);
            assertThat(LiveGroup.answers(group.store(1)))
                    .as("with two of three")
                    .isTrue();
            group.stop(2);

            assertThat(failure(group.store(1)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("2 of 3 voters")
                    .hasMessageContaining(group.address(0) + " has not been connected")
                    .hasMessageContaining(group.address(2) + " has not been connected");
        }
    }

    @Test
    void aMemberOnItsWayBackSaysWhyItDoesNotVote() throws Exception {
        try (LiveGroup group = group("peers", 1, "&maxLease=3s")) {
            group.stop(0);
            group.restart(0);

            assertThat(failure(group.store(0)))
                    .hasMessageContaining("when all leases that it may have granted before have expired");
        }
    }

    @Test
    void aWrongSecretIsNamed() throws Exception {
        Path right = Files.writeString(directory.resolve("right"), "0123456789abcdef-right");
        Path wrong = Files.writeString(directory.resolve("wrong"), "0123456789abcdef-wrong");
        try (LiveGroup group = group("peers", 1, "&maxLease=1s&secretFile=" + right);
                ElectionStore guest = LiveGroup.open(group.guest().replace(right.toString(), wrong.toString()))) {
            assertThat(failure(guest))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("secret")
                    .message()
                    .doesNotContain("0123456789abcdef");
        }
    }

    @Test
    void theSameMemberTwiceIsRefusedBeforeItStarts() throws Exception {
        try (LiveGroup group = group("peers", 1, "&maxLease=1s")) {
            assertThatThrownBy(() -> LiveGroup.open(group.member(0) + "&bind=127.0.0.1:1"))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("this process is the member " + group.address(0) + " already");
        }
    }

    @Test
    void aLeaseAboveTheQuarantineIsRefused() throws Exception {
        try (LiveGroup group = group("peers", 1, "&maxLease=1s")) {
            ElectionStore store = group.store(0);
            Observation vacant = of(store.read(KEY, call()));

            assertThatThrownBy(() -> of(store.acquire(KEY, vacant, record(Duration.ofSeconds(2)), null, call())))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("2s")
                    .hasMessageContaining("maxLease");
        }
    }

    /** It has no voter, and sees and writes as the members do. */
    @Test
    void aGuestReadsAndWrites() throws Exception {
        try (LiveGroup group = group("bully", 3, "&maxLease=2s");
                ElectionStore guest = LiveGroup.open(group.guest())) {
            assertThat(guest.traits().watches()).isFalse();
            Await.until("it to be connected", PLENTY, () -> LiveGroup.answers(guest));
            Observation vacant = of(guest.read(KEY, call()));
            WriteOutcome written = of(guest.acquire(KEY, vacant, record(Duration.ofSeconds(2)), null, call()));
            assertThat(written).isInstanceOf(WriteOutcome.Written.class);
            Observation seen = of(group.store(1).read(KEY, call()));
            assertThat(seen).isInstanceOf(Observation.Held.class);
            assertThat(of(guest.release(KEY, (Observation.Held) seen, call())))
                    .isInstanceOf(WriteOutcome.Written.class);
            assertThat(guest.list(RecordKey.elections(), dev.mandate.spi.Cursor.START, call())
                            .toCompletableFuture()
                            .join()
                            .items())
                    .singleElement()
                    .isInstanceOf(Observation.Vacant.class);
        }
    }

    @Test
    void aDoctorIsToldOfEveryMember() throws Exception {
        try (LiveGroup group = group("peers", 3, "&maxLease=1s");
                ElectionStore guest = LiveGroup.open(group.guest())) {
            Await.until("it to be connected", PLENTY, () -> LiveGroup.answers(guest));
            Map<Finding.Severity, List<String>> well = findings(guest);
            assertThat(well).containsOnlyKeys(Finding.Severity.OK);
            assertThat(well.get(Finding.Severity.OK)).anyMatch(each -> each.contains("3 of 3 members vote"));
            for (int i = 0; i < 3; i++) {
                String member = group.address(i);
                assertThat(well.get(Finding.Severity.OK)).anyMatch(each -> each.contains(member + " votes; ceiling "));
            }

            group.stop(0);
            group.stop(1);

            Map<Finding.Severity, List<String>> ill = findings(guest);
            assertThat(ill.get(Finding.Severity.ERROR))
                    .anyMatch(each -> each.contains("1 of 3 members vote"))
                    .anyMatch(each -> each.contains(group.address(0) + " has not been connected"));
        }
    }

    private static Map<Finding.Severity, List<String>> findings(ElectionStore store) throws Exception {
        return of(((Diagnosable) store).diagnose(Duration.ofSeconds(1), CallContext.within(Duration.ofSeconds(2))))
                .stream()
                .collect(Collectors.groupingBy(
                        Finding::severity, Collectors.mapping(Finding::sentence, Collectors.toList())));
    }
}
