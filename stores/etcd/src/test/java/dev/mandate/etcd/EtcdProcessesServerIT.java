package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Candidates in processes of their own, killed and frozen. */
@ResourceLock(EtcdServer.PEACE)
class EtcdProcessesServerIT {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    /** Stands, and says what it believes: {@code won TOKEN} and {@code lost TOKEN}. */
    static final class Candidate {
        private Candidate() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (ElectionClient client = ElectionClient.connect(arguments[0])) {
                Candidacy candidacy = client.election(arguments[1]).runWhileLeader("x", term -> {
                    System.out.println("won " + term.fencingToken().value());
                    while (term.isValid()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    System.out.println("lost " + term.fencingToken().value());
                });
                System.out.println("standing");
                candidacy.await();
            }
        }
    }

    private static CandidateProcess candidate(String election) {
        String url = EtcdServer.url(ETCD.server().port("client")) + "?lease=" + LEASE.toSeconds() + "s";
        CandidateProcess process =
                CandidateProcess.java(Candidate.class, url, election).start();
        process.await("its standing", PATIENCE, "standing"::equals);
        return process;
    }

    private static long won(CandidateProcess process) {
        return Long.parseLong(process.await("its win", PATIENCE, line -> line.startsWith("won "))
                .substring(4));
    }

    @Test
    void afterAKillTheNextOneLeadsWithALargerToken() {
        String election = Client.key("killed").name();
        List<CandidateProcess> processes = new ArrayList<>();
        try {
            CandidateProcess leader = candidate(election);
            processes.add(leader);
            long first = won(leader);
            CandidateProcess next = candidate(election);
            processes.add(next);

            leader.kill();

            assertThat(won(next)).isGreaterThan(first);
        } finally {
            processes.forEach(CandidateProcess::close);
        }
    }

    /** Whoever stood still past its lease finds itself deposed at its first look, before it does anything. */
    @Test
    void whoWasFrozenPastItsLeaseDoesNotBelieveAfterwards() {
        String election = Client.key("frozen").name();
        List<CandidateProcess> processes = new ArrayList<>();
        try {
            CandidateProcess leader = candidate(election);
            processes.add(leader);
            long first = won(leader);
            CandidateProcess next = candidate(election);
            processes.add(next);

            leader.freeze();
            long second = won(next);
            leader.thaw();

            leader.await("its loss", PATIENCE, ("lost " + first)::equals);
            assertThat(second).isGreaterThan(first);
            next.kill();
            assertThat(won(leader)).isGreaterThan(second);
        } finally {
            processes.forEach(CandidateProcess::close);
        }
    }
}
