package dev.mandate.nats;

import io.nats.client.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The subjects for which our user lacks permission. A server doesn't answer such a request but sends an error that
 * names the subject. That ends the request at once: by its timeout the caller has given up and would never learn the
 * reason. Thread-safe.
 */
final class Denials {
    /** Beyond this, all are forgotten: further requests may then time out without a reason. */
    private static final int SUBJECTS_MAX = 256;

    /** How the one subject ends on which jnats receives all answers. */
    private static final String ALL_ANSWERS = ".*";

    private static final Pattern DENIED =
            Pattern.compile("(?i)permissions violation for (publish|subscription) to \"([^\"]*)\".*");

    private final Map<String, String> errors = new ConcurrentHashMap<>();

    /** The pending answers and their subjects. */
    private final Map<CompletableFuture<Message>, String> pending = new ConcurrentHashMap<>();

    /** The error for receiving answers. */
    private volatile @Nullable String ofAnswers;

    /** A new connection may have other permissions. */
    void clear() {
        errors.clear();
        ofAnswers = null;
    }

    /** Notes a server's error and ends the subject's requests; false if the error is none of permissions. */
    boolean noted(String error) {
        Matcher denial = DENIED.matcher(error);
        if (!denial.matches()) {
            return false;
        }
        String subject = denial.group(2);
        if (denial.group(1).equalsIgnoreCase("subscription") && subject.endsWith(ALL_ANSWERS)) {
            ofAnswers = error;
            return true;
        }
        if (errors.size() >= SUBJECTS_MAX) {
            errors.clear();
        }
        errors.put(subject, error);
        // All: the right is the subject's, and two errors may have met the same request.
        pending.forEach((answer, asked) -> {
            if (asked.equals(subject)) {
                answer.completeExceptionally(new TimeoutException());
            }
        });
        return true;
    }

    /** Tracks a request until its answer completes, and returns the answer. An earlier denial then no longer holds. */
    CompletableFuture<Message> tracked(String subject, CompletableFuture<Message> answer) {
        pending.put(answer, subject);
        return answer.whenComplete((message, failure) -> {
            pending.remove(answer);
            if (failure == null) {
                ofAnswers = null;
                errors.remove(subject);
            }
        });
    }

    /** The server's error for {@code subject}, or for receiving answers; null if there was none. */
    @Nullable
    String of(String subject) {
        return errors.getOrDefault(subject, ofAnswers);
    }
}
