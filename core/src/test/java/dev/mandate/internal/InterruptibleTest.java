package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Foreign code is interrupted while its thread is inside, and at no other time. */
class InterruptibleTest {
    private final Interruptible inside = new Interruptible();

    @AfterEach
    void takeBackInterrupts() {
        Thread.interrupted();
    }

    @Test
    void oneGoesInsideOnce() {
        assertThat(inside.thread()).isNull();

        assertThat(inside.enter()).isTrue();
        assertThat(inside.thread()).isSameAs(Thread.currentThread());
        inside.leave();

        assertThat(inside.thread()).isNull();
        assertThat(inside.enter()).isFalse();
        assertThat(inside.thread()).isNull();
    }

    @Test
    void whatIsForbiddenInTimeIsNeverEntered() {
        assertThat(inside.forbid()).isTrue();

        assertThat(inside.enter()).isFalse();
        assertThat(inside.thread()).isNull();
        assertThat(inside.forbid()).isFalse();
    }

    @Test
    void whoIsInsideCannotBeForbiddenAnyMore() {
        inside.enter();
        assertThat(inside.forbid()).isFalse();

        inside.leave();
        assertThat(inside.forbid()).isFalse();
    }

    @Test
    void anInterruptReachesWhoIsInsideOnce() {
        inside.enter();

        inside.interrupt();
        assertThat(Thread.interrupted()).isTrue();
        inside.interrupt();

        assertThat(Thread.interrupted()).isFalse();
    }

    /** A pool's thread goes back without it. */
    @Test
    void anInterruptIsTakenBackWhenItsThreadLeaves() {
        inside.enter();
        inside.interrupt();

        inside.leave();

        assertThat(Thread.interrupted()).isFalse();
        assertThat(inside.thread()).isNull();
    }

    /** The user's own: it was not ours to take. */
    @Test
    void anInterruptOfSomebodyElsesStays() {
        inside.enter();
        Thread.currentThread().interrupt();

        inside.leave();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void nobodyIsInterruptedBeforeOrAfter() {
        inside.interrupt();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(inside.enter()).isTrue();
        inside.leave();

        inside.interrupt();

        assertThat(Thread.interrupted()).isFalse();
    }

    /** It counts as interrupted: whoever is inside must not wait for ever for the end of that. */
    @Test
    void anInterruptThatThrowsIsOverAllTheSame() throws InterruptedException {
        Thread odd = new Thread(inside::enter) {
            @Override
            public void interrupt() {
                throw new IllegalStateException("a thread of the user's");
            }
        };
        odd.start();
        odd.join();
        assertThatThrownBy(inside::interrupt).hasMessage("a thread of the user's");

        inside.leave();

        assertThat(inside.thread()).isNull();
    }
}
