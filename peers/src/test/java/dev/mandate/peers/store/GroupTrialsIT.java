package dev.mandate.peers.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.TrialNode;
import dev.mandate.testkit.history.TrialSeat;
import dev.mandate.testkit.history.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Five real processes without a store, and what befalls them and their links; every history is judged. */
@EnabledOnOs(OS.LINUX)
@Execution(ExecutionMode.SAME_THREAD)
class GroupTrialsIT {
    private static final int MEMBERS = 5;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    Path directory;

    /** A group and the trial of its members. */
    private final class Group implements AutoCloseable {
        final Links links;
        final Trial trial;

        Group(String scheme) throws IOException {
            this(scheme, "");
        }

        Group(String scheme, String more) throws IOException {
            this(
                    scheme,
                    more,
                    RoutedLinks.areAllowed()
                            ? new RoutedLinks(directory, MEMBERS)
                            : new ProxiedLinks(directory, MEMBERS));
        }

        Group(String scheme, String more, Links links) throws IOException {
            this.links = links;
            Path secret = Files.writeString(directory.resolve("secret"), SECRET);
            List<String> members = links.members();
            List<TrialSeat> seats = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                String url = scheme + "://" + String.join(",", members) + "?self=" + members.get(i) + "&bind="
                        + links.bind(i) + "&state=" + directory.resolve("state" + i) + "&secretFile=" + secret
                        + "&lease=" + LEASE.toSeconds() + "s" + more;
                String options = "-Djdk.net.hosts.file=" + links.hosts(i)
                        + " -Dsun.net.inetaddr.ttl=0 -Dsun.net.inetaddr.negative.ttl=0";
                seats.add(new TrialSeat(
                        "m" + i, () -> url, links.launcher(i), Map.of("JDK_JAVA_OPTIONS", options), links));
            }
            trial = Trial.of(seats, scheme);
            System.out.println("[trial] GroupTrialsIT " + trial.election() + ": by " + links);
        }

        int place(TrialNode node) {
            return trial.nodes().indexOf(node);
        }

        /** Two of those that do not lead. */
        Set<Integer> minorityWith(TrialNode node) {
            Set<Integer> side = new HashSet<>(Set.of(place(node)));
            side.add((place(node) + 1) % MEMBERS);
            return side;
        }

        /** A follower moves; without two others, which are left alone, the group needs it. */
        void moves(int place) throws IOException {
            links.move(place);
            leasesPass(2);
            links.split(Set.of((place + 1) % MEMBERS, (place + 2) % MEMBERS));
            leasesPass(2);
        }

        void requireTerms(int atLeast) throws IOException {
            Verdict verdict = trial.healAndCheck();
            System.out.println("[trial] GroupTrialsIT " + trial.election() + ": " + verdict);
            assertThat(verdict.terms()).as("terms that were believed").isGreaterThanOrEqualTo(atLeast);
        }

        @Override
        public void close() throws IOException {
            trial.close();
        }
    }

    private static void leasesPass(int leases) {
        Await.passing(LEASE.multipliedBy(leases));
    }

    /** Killed, followed, started again; the next leader frozen for three leases, and thawed. */
    @Test
    void leadersAreKilledFrozenAndResign() throws Exception {
        try (Group group = new Group("bully")) {
            Trial trial = group.trial;
            long term = trial.term();
            trial.leader().kill();
            term = trial.awaitTermAfter(term) == null ? 0 : trial.term();
            trial.startMissing();
            TrialNode frozen = trial.leader();
            frozen.freeze();
            trial.awaitTermAfter(term);
            leasesPass(3);
            frozen.thaw();
            for (int i = 0; i < 3; i++) {
                term = trial.term();
                trial.leader().resign();
                trial.awaitTermAfter(term);
            }
            group.requireTerms(6);
        }
    }

    /** The leader's side of a split has two of five; one link is cut; one carries only one way. */
    @Test
    void linksAreCut() throws Exception {
        try (Group group = new Group("ring")) {
            Trial trial = group.trial;
            long term = trial.term();
            group.links.split(group.minorityWith(trial.leader()));
            trial.awaitTermAfter(term);
            leasesPass(2);
            group.links.pass();
            term = trial.term();
            int leader = group.place(trial.leader());
            // It goes on by the others.
            group.links.cut(leader, (leader + 1) % MEMBERS);
            leasesPass(2);
            group.links.pass();
            leader = group.place(trial.leader());
            for (int other = 0; other < MEMBERS; other++) {
                if (other != leader) {
                    group.links.cutOneWay(other, leader);
                }
            }
            trial.awaitTermAfter(trial.term());
            group.requireTerms(3);
        }
    }

    /** Sides that share one member, and a ring in which each hears two others. */
    @Test
    void splitsIntersect() throws Exception {
        try (Group group = new Group("peers")) {
            Links links = group.links;
            for (int one = 0; one < 2; one++) {
                for (int other = 3; other < MEMBERS; other++) {
                    links.cut(one, other);
                }
            }
            leasesPass(4);
            links.pass();
            leasesPass(1);
            for (int one = 0; one < MEMBERS; one++) {
                links.cut(one, (one + 2) % MEMBERS);
            }
            leasesPass(4);
            group.requireTerms(1);
        }
    }

    /** Frames that end anywhere, again and again; and a member whose name leads to another address. */
    @Test
    void connectionsEndAndAMemberMoves() throws Exception {
        ProxiedLinks links = new ProxiedLinks(directory, MEMBERS);
        try (Group group = new Group("bully", "", links)) {
            Trial trial = group.trial;
            for (int i = 0; i < 20; i++) {
                links.cutAfter(ThreadLocalRandom.current().nextInt(2_000));
                Await.passing(LEASE.dividedBy(8));
            }
            links.pass();
            group.moves((group.place(trial.leader()) + 1) % MEMBERS);
            group.requireTerms(1);
        }
    }

    @Test
    void aMemberMoves() throws Exception {
        try (Group group = new Group("peers")) {
            group.moves((group.place(group.trial.leader()) + 1) % MEMBERS);
            group.requireTerms(1);
        }
    }

    /** All are killed at once: values die with the processes, tokens do not fall. */
    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    void allAreKilledAtOnceAndOneByOne() throws Exception {
        try (Group group = new Group("ring")) {
            Trial trial = group.trial;
            long term = trial.term();
            trial.nodes().forEach(TrialNode::kill);
            trial.startMissing();
            trial.awaitTermAfter(term);
            for (int i = 0; i < MEMBERS; i++) {
                trial.nodes().get(i).kill();
                trial.startMissing();
                // It votes again before the next one is away.
                leasesPass(2);
            }
            group.requireTerms(2);
        }
    }

    /** The last named leads, and leads again when it is back. */
    @Test
    void aHigherMemberThatReturnsTakesTheLead() throws Exception {
        try (Group group = new Group("bully", "&preempt=true")) {
            Trial trial = group.trial;
            TrialNode highest = trial.nodes().get(MEMBERS - 1);
            Await.until("the highest to lead", PATIENCE, () -> trial.leader() == highest);
            long term = trial.term();
            highest.kill();
            assertThat(trial.awaitTermAfter(term)).isNotSameAs(highest);
            trial.startMissing();
            Await.until("the highest to lead again", PATIENCE, () -> trial.leader() == highest);
            group.requireTerms(3);
        }
    }
}
