package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.Message;
import io.nats.client.impl.NatsMessage;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a server's errors end. */
class DenialsTest {
    private static final String DENIED = "Permissions Violation for Publish to \"a.b\"";

    private final Denials denials = new Denials();

    private CompletableFuture<Message> asked(String subject) {
        CompletableFuture<Message> answer = new CompletableFuture<>();
        var unused = denials.tracked(subject, answer);
        return answer;
    }

    @Test
    void aDenialEndsAllRequestsOfItsSubject() {
        CompletableFuture<Message> first = asked("a.b");
        CompletableFuture<Message> second = asked("a.b");
        CompletableFuture<Message> other = asked("a.c");

        assertThat(denials.noted(DENIED)).isTrue();

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(other).isNotDone();
        assertThat(denials.of("a.b")).isEqualTo(DENIED);
        assertThat(denials.of("a.c")).isNull();
    }

    @Test
    void anAnswerEndsItsOwnRequestAloneAndTheDenialWithIt() {
        assertThat(denials.noted(DENIED)).isTrue();
        CompletableFuture<Message> first = asked("a.b");
        CompletableFuture<Message> second = asked("a.b");

        first.complete(NatsMessage.builder().subject("answer").build());

        assertThat(denials.of("a.b")).isNull();
        assertThat(second).isNotDone();
        assertThat(denials.noted(DENIED)).isTrue();
        assertThat(second).isCompletedExceptionally();
    }

    @Test
    void otherErrorsAreNone() {
        assertThat(denials.noted("Authorization Violation")).isFalse();
    }
}
