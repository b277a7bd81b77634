package dev.mandate.nats;

import io.nats.client.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * The newest answer that is awaited for each subject. A server does not answer a request that lacks the right; it sends
 * an error that names the subject. The request must end then, and not at its time-out: by that time its caller has
 * given up, and would never hear the reason.
 */
final class Awaited {
    private final Map<String, CompletableFuture<Message>> answers = new ConcurrentHashMap<>();

    /** Notes an answer until it is there, and returns it. */
    CompletableFuture<Message> begin(String subject, CompletableFuture<Message> answer) {
        answers.put(subject, answer);
        return answer.whenComplete((message, failure) -> answers.remove(subject, answer));
    }

    /** The server has refused what was asked last of that subject. */
    void refused(String subject) {
        CompletableFuture<Message> answer = answers.get(subject);
        if (answer != null) {
            answer.completeExceptionally(new TimeoutException());
        }
    }
}
