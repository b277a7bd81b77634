package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreUrl;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the two answers to a renewal mean together. */
class EtcdSessionTest {
    private static final long LEASE = 0xabcL;

    private final EtcdConnection connection = new EtcdConnection(EtcdUrl.settings(StoreUrl.parse("etcd://h")));
    private final EtcdSession session = new EtcdSession(
            connection,
            new Layout(EtcdUrl.settings(StoreUrl.parse("etcd://h")).keys(), false, lease -> null),
            LEASE,
            Duration.ofSeconds(10));

    @AfterEach
    void close() {
        connection.close();
    }

    private static ResponseHeader header(long term) {
        return ResponseHeader.newBuilder().setRaftTerm(term).setRevision(77).build();
    }

    private SessionRenewal renewal(long lease, long ttl, long term, long quorumTerm) {
        return session.renewal(
                LeaseKeepAliveResponse.newBuilder()
                        .setHeader(header(term))
                        .setID(lease)
                        .setTTL(ttl)
                        .build(),
                RangeResponse.newBuilder().setHeader(header(quorumTerm)).build());
    }

    private void unknown(long lease, long ttl, long term, long quorumTerm, String... words) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> renewal(lease, ttl, term, quorumTerm))
                .withMessageContaining("etcd h:2379: renewing lease abc: ")
                .withMessageContainingAll(words);
    }

    @Test
    void aRenewalCountsInTheTermThatTheQuorumIsIn() {
        assertThat(renewal(LEASE, 10, 3, 3)).isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(10)));
        assertThat(connection.revision()).isEqualTo(77);
    }

    @Test
    void theServerMayGrantLessAndNeverMore() {
        assertThat(renewal(LEASE, 7, 3, 3)).isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(7)));
        assertThat(renewal(LEASE, 11, 3, 3)).isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(10)));
        assertThat(renewal(LEASE, 1, 3, 3)).isEqualTo(SessionRenewal.renewed(Duration.ofSeconds(1)));
    }

    @Test
    void aLeaseThatIsOverIsGone() {
        assertThat(renewal(LEASE, 0, 3, 3)).isEqualTo(SessionRenewal.gone());
    }

    /** Whoever renewed it was deposed, or is about to find out that it was not. */
    @Test
    void anAnswerOfAnotherTermThanTheQuorumsIsUnknown() {
        unknown(LEASE, 10, 3, 4, "raft term 3, then 4");
        unknown(LEASE, 10, 4, 3, "raft term 4, then 3");
        unknown(LEASE, 0, 3, 4, "changed its leader");
    }

    @Test
    void anAnswerThatMakesNoSenseIsUnknown() {
        unknown(LEASE + 1, 10, 3, 3, "lease abd and 10 s");
        unknown(LEASE, -1, 3, 3, "lease abc and -1 s");
    }

    @Test
    void itIsShownAsEtcdctlShowsIt() {
        assertThat(session.id()).isEqualTo("abc");
        assertThat(session.granted()).isEqualTo(Duration.ofSeconds(10));
        assertThat(session.isOf(connection)).isTrue();
        EtcdConnection other = new EtcdConnection(EtcdUrl.settings(StoreUrl.parse("etcd://h")));
        try {
            assertThat(session.isOf(other)).isFalse();
        } finally {
            other.close();
        }
    }
}
