package dev.mandate.nats;

import io.nats.client.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

/**
 * The newest answer that is awaited to each subject. A server never answers a request without the right to it; it reports that beside, and names the
 * subject. The request ends then: a caller who waits for the end of its time gives up at that very moment, and may never hear why.
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
