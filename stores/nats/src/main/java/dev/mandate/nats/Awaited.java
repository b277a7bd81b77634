package dev.mandate.nats;

import io.nats.client.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * The newest pending answer per subject. A server doesn't answer a request without permission but sends an error
 * that names the subject. That must end the request at once: by its timeout the caller has given up and would never
 * learn the reason.
 */
final class Awaited {
    private final Map<String, CompletableFuture<Message>> answers = new ConcurrentHashMap<>();

    /** Tracks an answer until it completes, and returns it. */
    CompletableFuture<Message> begin(String subject, CompletableFuture<Message> answer) {
        answers.put(subject, answer);
        return answer.whenComplete((message, failure) -> answers.remove(subject, answer));
    }

    /** The server denied this subject: ends its newest request. */
    void refused(String subject) {
        CompletableFuture<Message> answer = answers.get(subject);
        if (answer != null) {
            answer.completeExceptionally(new TimeoutException());
        }
    }
}
