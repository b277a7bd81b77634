package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leaders that their callers found dead, on the real loop and virtual time; L = 10 s. */
class ResolverFailuresTest {
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration RETRY = Duration.ofMillis(250);

    private final World world = World.withSessions();
    private final VirtualStore connection = world.store.another();
    private final Client caller = world.client("caller", connection);

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    private static String value(Optional<Leader> leader) {
        return leader.map(Leader::value).orElse("-");
    }

    /** {@code "?"}, {@code "-"}, or the leader's value. */
    private static String text(LeaderView view) {
        return view instanceof LeaderView.Unknown ? "?" : value(view.leader());
    }

    private int reads() {
        return connection.requests.getOrDefault("read", 0);
    }

    /** Knows the leader with value {@code "at e"}, and that the store is at rest. */
    private LeaderResolver resolved() throws InterruptedException {
        LeaderResolver resolver = caller.election("e").resolver();
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");
        world.pass(Duration.ofMillis(500));
        return resolver;
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void oneThatFailedIsNotGivenAgainOnceAnotherLeads(World any) throws Exception {
        Client a = any.client("a");
        Leadership first = any.win(a.election("e"));
        VirtualStore deaf = any.store.another();
        LeaderResolver resolver = any.client("b", deaf).election("e").resolver();
        resolver.await(SOON);
        // Nothing tells this client of it.
        deaf.isDeaf = true;
        first.close();
        any.win(any.client("c", any.store.another()).election("e"), "second");
        if (value(resolver.now()).equals("at e")) {
            resolver.failed(first.fencingToken());
        }

        assertThat(value(resolver.now())).isNotEqualTo("at e");
        assertThat(value(resolver.await(Duration.ofSeconds(1)))).isEqualTo("second");
        any.pass(Duration.ofSeconds(30));
        assertThat(value(resolver.now())).isEqualTo("second");
    }

    /** Its lease is not over: the store shows it still. */
    @Test
    void anAnswerToALaterQuestionBringsItBack() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        int before = reads();

        resolver.failed(won.fencingToken());

        assertThat(resolver.now()).isEmpty();
        assertThat(text(resolver.view())).isEqualTo("?");
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");
        assertThat(reads()).as("asked at once, and once").isEqualTo(before + 1);
    }

    /** A read was under way when it failed: it may have been answered before. */
    @Test
    void anAnswerToAnEarlierQuestionDoesNot() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        connection.latency = Duration.ofMillis(400);
        resolver.failed(won.fencingToken());
        world.pass(Duration.ofMillis(300));
        resolver.failed(won.fencingToken());
        int asked = reads();

        world.pass(Duration.ofMillis(101));
        assertThat(resolver.now()).as("answered what was asked too early").isEmpty();
        assertThat(reads()).as("asked again").isEqualTo(asked + 1);
        long began = world.host.nanos();
        assertThat(value(resolver.await(SOON))).isEqualTo("at e");

        assertThat(Duration.ofNanos(world.host.nanos() - began)).isGreaterThan(Duration.ofMillis(350));
    }

    @Test
    void aLateHintDoesNot() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        Observation.Held held = (Observation.Held) world.store.shown("e");
        connection.hangs = true;

        resolver.failed(won.fencingToken());
        for (int i = 0; i < 20; i++) {
            connection.hint(new Hint.Seen(held));
            connection.hint(Hint.Gap.INSTANCE);
            world.pass(Duration.ofMillis(100));
            assertThat(resolver.now()).isEmpty();
            assertThat(text(resolver.view())).isEqualTo("?");
        }
        connection.hangs = false;

        assertThat(value(resolver.await(Duration.ofSeconds(5)))).isEqualTo("at e");
    }

    @Test
    void aHintOfALaterTermDoesAtOnce() throws Exception {
        Leadership first = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        connection.hangs = true;
        resolver.failed(first.fencingToken());

        first.close();
        world.win(world.client("c", world.store.another()).election("e"), "second");
        world.pass(Duration.ofMillis(10));

        assertThat(value(resolver.now())).isEqualTo("second");
    }

    @Test
    void aReportOfATermThatIsOverChangesNothing() throws Exception {
        Leadership first = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        first.close();
        world.win(world.client("c", world.store.another()).election("e"), "second");
        world.passUntil(() -> value(resolver.now()).equals("second"), SOON);
        world.pass(Duration.ofMillis(500));
        int before = reads();

        resolver.failed(first.fencingToken());
        world.pass(Duration.ofMillis(100));

        assertThat(value(resolver.now())).isEqualTo("second");
        assertThat(reads()).isEqualTo(before);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.failed(new FencingToken("other", 1)))
                .withMessage("the token is of election 'other'; this resolver finds the leader of 'e'");
    }

    /** Callers fail as fast as they like. */
    @Test
    void theStoreIsAskedNoMoreOftenThanRetriesAreSpaced() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        int before = reads();

        for (int i = 0; i < 5_000; i++) {
            resolver.failed(won.fencingToken());
            world.pass(Duration.ofMillis(1));
        }

        long most = 5_000 / RETRY.toMillis() + 3;
        assertThat(reads() - before).as("with the observer's own").isBetween((int) most / 2, (int) most);
    }

    /** While it is away it is asked ever less often. */
    @Test
    void aStoreThatIsAwayIsAskedEverLessOften() throws Exception {
        Leadership won = world.win(world.client("a").election("e"));
        LeaderResolver resolver = resolved();
        connection.failure = new IllegalStateException("away");
        resolver.failed(won.fencingToken());
        world.pass(Duration.ofSeconds(30));
        int before = reads();

        world.pass(Duration.ofMinutes(1));

        assertThat(reads() - before).as("every L/3, and the observer's own").isLessThan(60 * 10 / 33 + 60 + 5);
        connection.failure = null;
        assertThat(value(resolver.await(Duration.ofSeconds(5)))).isEqualTo("at e");
    }
}
