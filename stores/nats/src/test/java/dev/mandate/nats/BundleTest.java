package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Few renewals are answered at once; the answers to many are handed on together. */
class BundleTest {
    private static final int MANY = 200;
    private static final long LONG_SECONDS = 30;

    private final Threads threads = new Threads();
    private final AtomicLong clock = new AtomicLong();
    private final Bundle bundle = new Bundle(threads, new Cork(), clock::get);

    @AfterEach
    void closeThreads() {
        threads.close();
    }

    @Test
    void fewAreHandedOnAsTheyCome() {
        CompletableFuture<String> answer = new CompletableFuture<>();

        assertThat(bundle.add(() -> answer)).isSameAs(answer);
    }

    /** A hundred within half a second; it counts from the next one on. */
    private void untilTheyAreMany() {
        for (int i = 0; i < MANY; i++) {
            bundle.add(() -> CompletableFuture.completedStage(""));
        }
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
    }

    @Test
    void theAnswersToManyAreHandedOnTogetherOnTheTimer() throws Exception {
        untilTheyAreMany();
        List<CompletableFuture<Integer>> sent = new ArrayList<>();
        ConcurrentLinkedQueue<String> handedOnBy = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            sent.add(answer);
            answers.add(bundle.add(() -> answer)
                    .whenComplete((value, failure) ->
                            handedOnBy.add(Thread.currentThread().getName()))
                    .toCompletableFuture());
        }

        for (int i = 0; i < MANY; i++) {
            if (i == 0) {
                sent.get(i).completeExceptionally(new IllegalStateException("no"));
            } else {
                sent.get(i).complete(i);
            }
        }

        for (int i = 1; i < MANY; i++) {
            assertThat(answers.get(i).get(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo(i);
        }
        assertThatThrownBy(() -> answers.get(0).get(LONG_SECONDS, TimeUnit.SECONDS))
                .hasRootCauseMessage("no");
        assertThat(handedOnBy).hasSize(MANY).allMatch(name -> name.startsWith("mandate-nats-timer-"));
    }

    @Test
    void whatCannotBeSentIsSaidToWhoeverWantedItSent() {
        untilTheyAreMany();

        assertThatThrownBy(() -> bundle.add(() -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
    }

    @Test
    void withoutATimerTheyAreHandedOnAtOnce() {
        untilTheyAreMany();
        threads.close();

        assertThat(bundle.add(() -> CompletableFuture.completedStage(7)).toCompletableFuture())
                .isCompletedWithValue(7);
    }

    @Test
    void whatTheTimerHadInHandIsHandedOnWhenTheStoreIsClosed() {
        untilTheyAreMany();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(bundle.add(() -> CompletableFuture.completedStage(7)).toCompletableFuture());
        }

        threads.close();
        bundle.handOn();

        assertThat(answers).allMatch(answer -> answer.isDone());
    }
}
