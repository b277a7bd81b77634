package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkerTest {
    private final BlockingQueue<Throwable> logged = new LinkedBlockingQueue<>();
    private final Logger logger = Logger.getLogger("dev.mandate.http");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getThrown() != null) {
                logged.add(record.getThrown());
            }
        }

        @Override
        public void flush() {
            // Nothing is held back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };
    private final Worker worker = new Worker("worker-test");

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() {
        worker.stop();
        logger.removeHandler(handler);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        return queue.poll(Served.PLENTY.toSeconds(), TimeUnit.SECONDS);
    }

    /** Tests beside this one log mistakes of their own. */
    private void awaitLogged(Throwable mistake) throws InterruptedException {
        Throwable each = next(logged);
        while (each != null && each != mistake) {
            each = next(logged);
        }
        assertThat(each).isSameAs(mistake);
    }

    @Test
    void anErrorIsLoggedAndDoesNotEndWhatIsDoneAgainAndAgain() throws Exception {
        Error mistake = new LinkageError("a mistake");
        AtomicBoolean hasFailed = new AtomicBoolean();
        BlockingQueue<String> done = new LinkedBlockingQueue<>();

        worker.every(1, () -> {
            if (hasFailed.compareAndSet(false, true)) {
                throw mistake;
            }
            done.add("done");
        });

        awaitLogged(mistake);
        assertThat(next(done)).isEqualTo("done");
    }

    @Test
    void whatIsDoneOnceIsLoggedIfItFails() throws Exception {
        RuntimeException mistake = new IllegalStateException("a mistake");

        worker.execute(() -> {
            throw mistake;
        });

        awaitLogged(mistake);
    }

    @Test
    void whatWasGivenBeforeTheEndIsDone() throws Exception {
        BlockingQueue<String> done = new LinkedBlockingQueue<>();
        worker.execute(() -> done.add("done"));

        worker.end();

        assertThat(done).containsExactly("done");
    }
}
