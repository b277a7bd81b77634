package dev.mandate.consul;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.support.BackOff;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that Consul answers when something has changed, sent again and again. Everything except reading a body runs
 * on the timer's thread.
 */
abstract class BlockingQuery {
    /** Short enough to notice within a minute that the agent is gone. */
    private static final Duration WAIT = Duration.ofSeconds(60);

    /** Consul adds up to a sixteenth, to spread the answers; the rest is for the network. */
    private static final Duration ANSWER = WAIT.plus(WAIT.dividedBy(16)).plusSeconds(10);

    /** The least time between two requests, however often something changes. */
    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final Duration PAUSE_MIN = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    /** While the setup has to change first. */
    private static final Duration PERMANENT_MAX = Duration.ofSeconds(60);

    /** The most that a query reads on average: answers with 10,000 records must not follow one another closely. */
    private static final long BYTES_PER_SECOND = 2 << 20;

    private static final System.Logger LOG = System.getLogger(BlockingQuery.class.getName());

    final ConsulHttp http;
    final String what;
    private final Consumer<Hint> hints;
    private long index;
    private long askedNanos;
    private final BackOff backOff = new BackOff(PAUSE_MIN, PAUSE_MAX);
    private boolean isOver;
    private @Nullable CompletionStage<?> pending;

    BlockingQuery(ConsulHttp http, String what, Consumer<Hint> hints) {
        this.http = http;
        this.what = what;
        this.hints = hints;
    }

    /** Sends the request; {@code query} has the index and how long Consul may wait. */
    abstract CompletionStage<Answer> ask(String query, long afterIndex, CallContext call);

    /** The hints for what an answer shows that is new. */
    abstract List<Hint> news(Answer answer);

    /** The size of the last answer, if it may be large; else 0. */
    long bytes() {
        return 0;
    }

    void start() {
        if (isOver) {
            return;
        }
        askedNanos = System.nanoTime();
        String query = index == 0 ? "" : "index=" + index + "&wait=" + WAIT.toSeconds() + "s";
        CompletionStage<Answer> asked = ask(query, index, CallContext.within(ANSWER));
        pending = asked;
        asked.whenComplete((answer, why) -> http.later(() -> answered(answer, why), 0));
    }

    /** Stops the hints and gives the connection back. */
    void end() {
        isOver = true;
        CompletionStage<?> last = pending;
        pending = null;
        if (last != null) {
            last.toCompletableFuture().cancel(true);
        }
    }

    private void answered(@Nullable Answer answer, @Nullable Throwable why) {
        if (isOver) {
            return;
        }
        pending = null;
        if (answer == null) {
            failed(String.valueOf(why), false);
            return;
        }
        if (!answer.hasIndex() || !answer.isOk() && answer.status() != 404) {
            RuntimeException fault = http.fault(what, answer);
            failed(fault.getMessage(), fault instanceof StoreSetupException);
            return;
        }
        try {
            List<Hint> news = news(answer);
            // If the index went back, another server answers or the data was restored. Index 0 would not block.
            index = answer.index() < index ? 0 : Math.max(1, answer.index());
            backOff.reset();
            news.forEach(hints);
        } catch (RuntimeException e) {
            failed(e.toString(), false);
            return;
        }
        long spacing = Math.max(SPACING_NANOS, bytes() * TimeUnit.SECONDS.toNanos(1) / BYTES_PER_SECOND);
        again(Math.max(0, askedNanos + spacing - System.nanoTime()));
    }

    private void failed(@Nullable String reason, boolean isPermanent) {
        // Starts over from the present state: what was missed shows as a difference.
        index = 0;
        LOG.log(Level.DEBUG, "{0}: {1} failed and is tried again: {2}", http.name(), what, reason);
        again(backOff.nextNanos(isPermanent ? PERMANENT_MAX : PAUSE_MAX));
    }

    private void again(long nanos) {
        if (nanos == 0) {
            start();
        } else {
            http.later(this::start, nanos);
        }
    }
}
