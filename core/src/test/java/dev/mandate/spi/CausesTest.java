package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private final Throwable inner = new ConnectException("refused");
    private final Throwable failure = new IOException("no answer", inner);

    @Test
    void whatStagesWrappedIsUnwrapped() {
        Throwable wrapped = new CompletionException(new ExecutionException(new CompletionException(failure)));
        assertThat(Causes.unwrapped(wrapped)).isSameAs(failure);
        assertThat(Causes.unwrapped(failure)).isSameAs(failure);
        Throwable bare = new CompletionException("no cause", null);
        assertThat(Causes.unwrapped(bare)).isSameAs(bare);
    }

    @Test
    void aCircleHasAnEnd() {
        CompletionException one = new CompletionException("one") {};
        one.initCause(new CompletionException("two", one));
        assertThat(Causes.unwrapped(one)).isInstanceOf(CompletionException.class);
        assertThat(Causes.chain(one)).hasSize(Causes.DEPTH_MAX);
    }

    @Test
    void theChainIsLookedThrough() {
        assertThat(Causes.chain(failure)).containsExactly(failure, inner);
        assertThat(Causes.has(failure, ConnectException.class)).isTrue();
        assertThat(Causes.has(failure, InterruptedException.class)).isFalse();
    }

    @Test
    void aMessageIsOneHarmlessLine() {
        assertThat(Causes.line(new IOException("one\r\n\u001b[2Jtwo \u202e"))).isEqualTo("one [2Jtwo");
        assertThat(Causes.line(new IOException())).isEqualTo("IOException");
        assertThat(Causes.line(new IOException("x".repeat(1_000)))).hasSize(Causes.LINE_MAX + 1);
    }

    @Test
    void anExcerptIsCutBetweenCharacters() {
        assertThat(Excerpt.of("abc", 3)).isEqualTo("abc");
        assertThat(Excerpt.of("abcd", 3)).isEqualTo("abc…");
        assertThat(Excerpt.of("ab😀d", 3)).isEqualTo("ab…");
        assertThat(Excerpt.line(" a\n\tb ", 3)).isEqualTo("a b");
    }
}
