package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerExtension;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidates in processes of their own, killed and frozen. */
@Execution(ExecutionMode.CONCURRENT)
class ConsulProcessesServerIT {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Stands, and says what it believes: {@code won TOKEN}, {@code lost TOKEN}, and {@code late} if it believed after standing still. */
    static final class Candidate {
        private Candidate() {}

        public static void main(String[] arguments) throws InterruptedException {
            try (ElectionClient client = ElectionClient.connect(arguments[0])) {
                Candidacy candidacy = client.election(arguments[1]).runWhileLeader("x", term -> {
                    System.out.println("won " + term.fencingToken().value());
                    long checkedNanos = System.nanoTime();
                    while (true) {
                        long askedNanos = System.nanoTime();
                        boolean isValid = term.isValid();
                        if (isValid && askedNanos - checkedNanos > LEASE.toNanos()) {
                            System.out.println("late " + term.fencingToken().value());
                        }
                        if (!isValid) {
                            break;
                        }
                        checkedNanos = System.nanoTime();
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
        String url = ConsulServer.url(CONSUL.server().port("http"), "lock-delay=1s&lease=" + LEASE.toSeconds() + "s");
        CandidateProcess process =
                CandidateProcess.java(Candidate.class, url, election).start();
        process.await("its standing", PATIENCE, "standing"::equals);
        return process;
    }

    private static String election() {
        return "p" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    }

    private static long won(CandidateProcess process) {
        return Long.parseLong(process.await("its win", PATIENCE, line -> line.startsWith("won "))
                .substring(4));
    }

    /** Not before Consul may free it, and within what is promised. */
    @Test
    void afterAKillTheNextOneLeadsWithinTheBound() {
        String election = election();
        try (CandidateProcess leader = candidate(election)) {
            long first = won(leader);
            try (CandidateProcess next = candidate(election);
                    ElectionClient same = ElectionClient.connect(ConsulServer.url(
                            CONSUL.server().port("http"), "lock-delay=1s&lease=" + LEASE.toSeconds() + "s"))) {
                leader.kill();
                long killed = System.nanoTime();

                long second = won(next);
                Duration took = Duration.ofNanos(System.nanoTime() - killed);

                System.out.println("Consul: take-over after SIGKILL with a lease of 10 s and a lock-delay of 1 s took "
                        + took.toMillis() + " ms, bound "
                        + same.explain().failoverAtMost().toMillis() + " ms");
                assertThat(second).isGreaterThan(first);
                assertThat(took).isLessThan(same.explain().failoverAtMost());
            }
        }
    }

    /** Whoever stood still past its lease finds itself deposed at its first look, before it does anything. */
    @Test
    void whoWasFrozenPastItsLeaseDoesNotBelieveAfterwards() {
        String election = election();
        try (CandidateProcess leader = candidate(election)) {
            long first = won(leader);
            try (CandidateProcess next = candidate(election)) {
                leader.freeze();
                long second = won(next);
                leader.thaw();

                leader.await("its loss", PATIENCE, ("lost " + first)::equals);
                assertThat(leader.lines()).doesNotContain("late " + first);
                assertThat(second).isGreaterThan(first);
                next.kill();
                assertThat(won(leader)).isGreaterThan(second);
            }
        }
    }
}
