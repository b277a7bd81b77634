package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What elections hear of sessions, and how many there were. */
class SessionNewsTest {
    private final SessionNews news = new SessionNews();

    private static SessionLease session(long number) {
        Duration lease = Duration.ofSeconds(10);
        LeaseTiming timing = LeaseTiming.of(lease);
        return new SessionLease(
                new TestServer.TestSession(number, lease), timing.window(new Now(1, 1, 1), lease.toNanos()), timing);
    }

    @Test
    void aSessionThatIsLatchedAndThenOverIsLostOnce() {
        SessionLease first = session(1);
        news.up(first);
        assertThat(news.opened()).isEqualTo(1);
        assertThat(news.lost()).isZero();

        news.latched(first);
        SessionLease second = session(2);
        news.up(second);
        news.over(first);
        assertThat(news.opened()).isEqualTo(2);
        assertThat(news.lost()).isEqualTo(1);

        news.over(second);
        assertThat(news.lost()).isEqualTo(2);
    }

    /** It was opened too late to be used. */
    @Test
    void aSessionThatWasNeverUpIsNeitherOpenedNorLost() {
        SessionLease late = session(1);
        news.latched(late);
        news.over(late);

        assertThat(news.opened()).isZero();
        assertThat(news.lost()).isZero();
    }

    @Test
    void aSessionThatTheClientEndsIsNotLost() {
        SessionLease session = session(1);
        news.up(session);
        news.close();
        news.latched(session);
        news.over(session);

        assertThat(news.lost()).isZero();
    }

    @Test
    void newsIsHeardInOrderAndStaysUntilItIsRemoved() {
        SessionLease session = session(1);
        assertThat(news.isEmpty()).isTrue();
        news.up(session);
        news.latched(session);
        news.over(session);

        assertThat(news.first()).isEqualTo(new ElectionEvent.SessionUp(session));
        assertThat(news.first()).isEqualTo(new ElectionEvent.SessionUp(session));
        news.removeFirst();
        assertThat(news.first()).isEqualTo(new ElectionEvent.SessionLatched(session));
        news.removeFirst();
        assertThat(news.first()).isEqualTo(new ElectionEvent.SessionOver(session));
        news.removeFirst();
        assertThat(news.isEmpty()).isTrue();
    }
}
