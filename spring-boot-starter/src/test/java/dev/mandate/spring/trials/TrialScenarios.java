package dev.mandate.spring.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications in processes of their own are killed, cut off and frozen: never are two inside a method of one election.
 * {@code -Dmandate.spring.trials=50} does each so often.
 */
abstract class TrialScenarios {
    private static final int TRIALS = Integer.getInteger("mandate.spring.trials", 5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private final List<TrialApp> apps = new ArrayList<>();

    /** The way of one more application to the store of this test. */
    abstract TrialNetwork network() throws Exception;

    /** Whether a cut leaves the store to the others. */
    abstract boolean hasOneWayEach();

    @AfterEach
    void end() throws IOException {
        for (TrialApp app : apps) {
            app.close();
        }
    }

    private TrialApp start(Duration call) throws Exception {
        TrialApp app = new TrialApp("app-" + apps.size(), network(), folder.resolve("resource.db"), call);
        apps.add(app);
        return app;
    }

    private static void awaitUp(TrialApp... started) {
        for (TrialApp each : started) {
            each.process().await("it to be up", PATIENCE, TrialApplication.UP::equals);
        }
    }

    private TrialApp awaitInside(long sinceNanos) {
        return Await.value(
                "somebody inside",
                PATIENCE,
                () -> apps.stream().filter(app -> app.hasBegunSince(sinceNanos)).findFirst());
    }

    private TrialApp other(TrialApp one) {
        return apps.stream()
                .filter(app -> app != one && app.process().isAlive())
                .findFirst()
                .orElseThrow();
    }

    /** Fails if two applications were inside at the same time. */
    private void requireOne(String what) {
        List<TrialApp.Inside> all = apps.stream()
                .flatMap(app -> app.insides().stream())
                .sorted(Comparator.comparingLong(TrialApp.Inside::fromNanos))
                .toList();
        for (TrialApp.Inside one : all) {
            for (TrialApp.Inside other : all) {
                assertThat(!one.app().equals(other.app())
                                && one.fromNanos() < other.toNanos()
                                && other.fromNanos() < one.toNanos())
                        .as("both inside: %s and %s", one, other)
                        .isFalse();
            }
        }
        long terms = all.stream().mapToLong(TrialApp.Inside::token).distinct().count();
        System.out.printf("%s %s: %d calls in %d terms, never two at once%n", this, what, all.size(), terms);
        assertThat(terms).isGreaterThan(TRIALS);
    }

    @Test
    void neverTwoInsideWhenTheLeaderIsKilled() throws Exception {
        awaitUp(start(SHORT), start(SHORT));
        long since = System.nanoTime();
        for (int i = 0; i < TRIALS; i++) {
            TrialApp leader = awaitInside(since);
            leader.kill();
            since = System.nanoTime();
            TrialApp added = start(SHORT);
            awaitInside(since);
            awaitUp(added);
            since = System.nanoTime();
        }
        requireOne("killed");
    }

    @Test
    void neverTwoInsideWhenTheStoreIsCut() throws Exception {
        awaitUp(start(SHORT), start(SHORT));
        long since = System.nanoTime();
        for (int i = 0; i < TRIALS; i++) {
            TrialApp leader = awaitInside(since);
            leader.network().cut();
            long cutNanos = System.nanoTime();
            if (hasOneWayEach()) {
                TrialApp next = other(leader);
                Await.until("the other inside", PATIENCE, () -> next.hasBegunSince(cutNanos));
            } else {
                long[] silentSince = {cutNanos};
                Await.until("nobody inside for a second", PATIENCE, () -> {
                    if (apps.stream().anyMatch(app -> app.hasBegunSince(silentSince[0]))) {
                        silentSince[0] = System.nanoTime();
                    }
                    return System.nanoTime() - silentSince[0] > 1_000_000_000L;
                });
            }
            since = System.nanoTime();
            leader.network().heal();
        }
        awaitInside(System.nanoTime());
        requireOne("cut off");
    }

    @Test
    void theLateWriteOfAFrozenLeaderIsRefused() throws Exception {
        awaitUp(start(LONG), start(LONG));
        TrialApp leader = awaitInside(0);
        long token = leader.insides().get(leader.insides().size() - 1).token();
        // Frozen in the middle of it, it would keep the other from the resource.
        leader.process().await("its write", PATIENCE, (TrialApplication.WROTE + token)::equals);
        for (int i = 0; i < TRIALS; i++) {
            TrialApp next = other(leader);
            leader.process().freeze();
            long former = token;
            TrialApp.Inside theirs = Await.value(
                    "the other inside, with a higher token",
                    PATIENCE,
                    () -> next.insides().stream()
                            .filter(inside -> inside.token() > former)
                            .findFirst());
            // Only from its first write on are older ones refused.
            next.process().await("its write", PATIENCE, (TrialApplication.WROTE + theirs.token())::equals);
            leader.process().thaw();

            String refused = TrialApplication.REFUSED + token + " ";
            leader.process().await("its write to be refused", PATIENCE, line -> line.startsWith(refused));
            leader = next;
            token = theirs.token();
        }
    }

    @Test
    void aGracefulShutdownHandsOverAtOnce() throws Exception {
        awaitUp(start(SHORT), start(SHORT));
        List<Long> millis = new ArrayList<>();
        long since = System.nanoTime();
        for (int i = 0; i < TRIALS; i++) {
            TrialApp leader = awaitInside(since);
            TrialApp next = other(leader);
            leader.process().send(TrialApplication.LEAVE);
            leader.process().await("it to leave", PATIENCE, "left"::equals);
            List<TrialApp.Inside> calls = leader.insides();
            long outNanos = calls.get(calls.size() - 1).toNanos();
            Await.until("the other inside", PATIENCE, () -> next.hasBegunSince(outNanos));
            long inNanos = next.insides().stream()
                    .mapToLong(TrialApp.Inside::fromNanos)
                    .filter(at -> at > outNanos)
                    .min()
                    .orElseThrow();
            millis.add((inNanos - outNanos) / 1_000_000);
            leader.kill();
            since = System.nanoTime();
            awaitUp(start(SHORT));
        }
        requireOne("shut down");
        millis.sort(Comparator.naturalOrder());
        System.out.printf("%s hand-over p50 %d ms, of %s ms%n", this, millis.get(millis.size() / 2), millis);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}
