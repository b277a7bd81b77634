package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.WrongServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What can be wrong with an address or a server: one clear sentence each, soon, and no secret in it. */
@ResourceLock(EtcdServer.PEACE)
class EtcdBadInputServerIT {
    private static final Duration SOON = Duration.ofSeconds(3);
    private static final String CANARY = "Canary7yrucse";

    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    private static void fails(Class<? extends ElectionException> type, String url, String... words) {
        assertThatExceptionOfType(type)
                .isThrownBy(() -> {
                    // A fault of the setup shows here, and what may pass at the first call.
                    try (ElectionStore store = EtcdServer.open(url)) {
                        StoreClient.answer(store.read(RecordKey.PROBE, CallContext.within(SOON)));
                    }
                })
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }

    @Test
    void nobodyListens() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        fails(StoreUnavailableException.class, EtcdServer.url(port), "connection refused", "127.0.0.1:" + port);
    }

    @Test
    void anUnknownHostMayBecomeKnown() {
        fails(StoreUnavailableException.class, "etcd://no-such-host.invalid", "unknown host", "no-such-host.invalid");
    }

    @Test
    void aServerThatNeverAnswersEndsTheCall() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            fails(StoreUnavailableException.class, EtcdServer.url(silent.getLocalPort()), "no answer in time");
        }
    }

    @Test
    void aWebPageIsNoEtcd() throws IOException {
        try (WrongServer page = WrongServer.saying("HTTP/1.1 400 Bad Request\r\n\r\n<html>no</html>")) {
            fails(StoreSetupException.class, EtcdServer.url(page.port()), "not etcd");
        }
    }

    @Test
    void garbageWithoutEndIsNoEtcd() throws IOException {
        try (WrongServer garbage = WrongServer.sayingForEver("0123456789abcdef".repeat(4096))) {
            fails(StoreSetupException.class, EtcdServer.url(garbage.port()), "not etcd");
        }
        try (WrongServer garbage = WrongServer.sayingForEver("\u0000".repeat(4096))) {
            fails(ElectionException.class, EtcdServer.url(garbage.port()), "etcd 127.0.0.1");
        }
    }

    @Test
    void aServerThatHangsUpIsUnavailable() throws IOException {
        try (WrongServer mute = WrongServer.saying("")) {
            fails(StoreUnavailableException.class, EtcdServer.url(mute.port()), "etcd 127.0.0.1");
        }
    }

    @Test
    void tlsToAPlainServerIsSaid() {
        int port = ETCD.server().port("client");
        fails(ElectionException.class, "etcds://127.0.0.1:" + port, "TLS", "etcd: instead of etcds:");
    }

    /** Where the server knows no users, a user is no reason to refuse. */
    @Test
    void aUserOfAServerWithoutUsersIsTaken() {
        int port = ETCD.server().port("client");
        try (StoreClient client = EtcdServer.client("etcd://somebody:" + CANARY + "@127.0.0.1:" + port)) {
            assertThat(client.release(client.lead(StoreClient.key("nobody")))).isNotNull();
            assertThat(client.store().toString()).doesNotContain(CANARY);
        }
    }

    @Test
    void aLeaseBelowTheMinimumIsRefusedNamingBoth() {
        int port = ETCD.server().port("client");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> ElectionClient.connect(EtcdServer.url(port) + "?lease=1s"))
                .withMessageContainingAll("lease is 1s", "2s");
    }

    /** Several members, one dead: everything goes on with the others. */
    @Test
    void aDeadMemberIsPassedOver() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String url = "etcd://127.0.0.1:" + port + ",127.0.0.1:" + ETCD.server().port("client");
        try (StoreClient client = EtcdServer.client(url)) {
            RecordKey key = StoreClient.key("passed-over");
            for (int i = 0; i < 20; i++) {
                client.release(client.lead(key));
            }
        }
        try (ElectionClient client = ElectionClient.connect(url + "?lease=2s")) {
            try (Leadership term =
                    client.election(StoreClient.key("dead-member").name()).campaign("x")) {
                assertThat(term.isValid()).isTrue();
            }
        }
    }
}
