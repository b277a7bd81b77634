package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which terms count after callers found some of them dead. */
class FailedTermsTest {
    private final FailedTerms terms = new FailedTerms();

    @Test
    void withoutAFailureAllCount() {
        assertThat(terms.bars(1)).isFalse();
        assertThat(terms.isOpen()).isFalse();
    }

    @Test
    void oneThatFailedAndThoseBeforeItCountNoMore() {
        assertThat(terms.failed(5)).isTrue();
        assertThat(terms.bars(5)).isTrue();
        assertThat(terms.bars(4)).isTrue();
        assertThat(terms.bars(6)).isFalse();
        assertThat(terms.isOpen()).isTrue();
    }

    @Test
    void anAnswerToALaterQuestionBringsBackWhatItShows() {
        terms.failed(5);
        terms.answered(terms.asks(), 5);
        assertThat(terms.bars(5)).isFalse();
        assertThat(terms.bars(4)).isTrue();
        assertThat(terms.isOpen()).isFalse();
    }

    @Test
    void anAnswerToAnEarlierQuestionSaysNothing() {
        long early = terms.asks();
        terms.failed(5);
        terms.answered(early, 5);
        assertThat(terms.bars(5)).isTrue();
        assertThat(terms.isOpen()).isTrue();
    }

    @Test
    void everyFailureNeedsAQuestionOfItsOwn() {
        terms.failed(5);
        long first = terms.asks();
        terms.failed(5);
        terms.answered(first, 5);
        assertThat(terms.bars(5)).isTrue();
        terms.answered(terms.asks(), 5);
        assertThat(terms.bars(5)).isFalse();
        terms.failed(5);
        assertThat(terms.bars(5)).isTrue();
    }

    @Test
    void anAnswerThatShowsNobodyOrALaterTermBringsNothingBack() {
        terms.failed(5);
        terms.answered(terms.asks(), 0);
        assertThat(terms.bars(5)).isTrue();
        assertThat(terms.isOpen()).isFalse();
        terms.answered(terms.asks(), 7);
        assertThat(terms.bars(5)).isTrue();
        assertThat(terms.bars(7)).isFalse();
    }

    @Test
    void theFailureOfAnEarlierTermChangesNothing() {
        terms.failed(5);
        terms.answered(terms.asks(), 5);
        assertThat(terms.failed(4)).isFalse();
        assertThat(terms.bars(5)).isFalse();
        assertThat(terms.isOpen()).isFalse();
    }

    /** A store that lost its data counts from the beginning. */
    @Test
    void aTermThatTheStoreShowsCountsThoughAHigherOneFailed() {
        terms.failed(500);
        terms.answered(terms.asks(), 3);
        assertThat(terms.bars(3)).isFalse();
        assertThat(terms.bars(4)).isTrue();

        assertThat(terms.failed(3)).isTrue();

        assertThat(terms.bars(3)).isTrue();
        assertThat(terms.isOpen()).isTrue();
    }

    @Test
    void failuresOfManyThreadsAllCount() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            long first = i;
            threads.add(new Thread(() -> {
                for (long term = 1 + first; term < 8_000; term += 8) {
                    terms.failed(term);
                    terms.answered(terms.asks(), term);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(terms.bars(8_000)).isFalse();
        terms.failed(7_999);
        assertThat(terms.bars(7_999)).isTrue();
    }
}
