package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.url.GroupUrl;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("a process that another test starts has this one's port for a moment, too; and all share the log")
class RunningNodeIT {
    private static final Duration PLENTY = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final String self = "127.0.0.1:" + ServerPorts.choose(List.of("a")).get("a");

    private RunningNode open() {
        String url = "peers://" + self + "?self=" + self + "&state=" + directory + "&maxLease=10m";
        return RunningNode.open(GroupUrl.settings(StoreUrl.parse(url)));
    }

    private static CompletableFuture<CallResult> read(RunningNode node, Duration within) {
        return node.call(new Call.Read(RecordKey.PROBE), CallContext.within(within));
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains(self))
                .toList();
    }

    @Test
    void closingEndsCallsAndThreadsAndLetsTheNextOneIn() {
        RunningNode node = open();
        // Nobody answers while its voter is silent.
        CompletableFuture<CallResult> call = read(node, Duration.ofMinutes(10));
        assertThat(threads()).isNotEmpty();
        assertThatThrownBy(this::open).isInstanceOf(StoreSetupException.class).hasMessageContaining("is locked");

        node.close();
        node.close();

        assertThatThrownBy(call::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> read(node, Duration.ofMinutes(10)).join())
                .hasCauseInstanceOf(StoreUnavailableException.class);
        Await.until("its threads to end", PLENTY, () -> threads().isEmpty());
        open().close();
    }

    @Test
    void itCanBeClosedByWhatItAnswers() {
        RunningNode node = open();
        CompletableFuture<Void> closed = read(node, Duration.ofMillis(50)).thenAccept(result -> node.close());

        Await.until("it to be closed", PLENTY, closed::isDone);
        Await.until("its threads to end", PLENTY, () -> threads().isEmpty());
    }

    @Test
    void aCallWhoseClockThrowsTakesNobodysPlace() {
        RunningNode node = open();
        CallContext broken = CallContext.until(0, () -> {
            throw new IllegalStateException("of a test");
        });
        for (int i = 0; i < 1 << 16; i++) {
            assertThatThrownBy(() -> node.call(new Call.Read(RecordKey.PROBE), broken))
                    .isInstanceOf(IllegalStateException.class);
        }

        assertThat(read(node, Duration.ofMinutes(10))).isNotDone();
        node.close();
    }

    // ---- a logger that throws, or blocks ----

    private volatile Runnable logging = () -> {
        throw new IllegalStateException("of a test");
    };

    private final Handler broken = new ConsoleHandler() {
        @Override
        public void publish(LogRecord line) {
            logging.run();
        }
    };

    private void breakLogger() {
        Logger.getLogger("dev.mandate.peers").addHandler(broken);
    }

    @AfterEach
    void mendLogger() {
        Logger.getLogger("dev.mandate.peers").removeHandler(broken);
    }

    /** No node can take such a call. */
    private static void makeFail(RunningNode node) {
        node.call(new Call.Release(RecordKey.PROBE, null), CallContext.within(Duration.ofMinutes(10)));
    }

    @Test
    void aNodeWhoseFailureCannotBeSaidStopsAllTheSame() {
        RunningNode node = open();
        CompletableFuture<CallResult> call = read(node, Duration.ofMinutes(10));
        node.fail(new IllegalStateException() {
            @Override
            public String toString() {
                throw new InternalError("of a test");
            }
        });

        assertThat(call).isCompletedExceptionally();
        assertThatThrownBy(() -> read(node, Duration.ofMinutes(10)).join())
                .hasCauseInstanceOf(StoreSetupException.class)
                .hasMessageContaining("has stopped");
        node.close();
    }

    @Test
    void aNodeThatFailsEndsItsCallsAlthoughTheLoggerThrows() {
        RunningNode node = open();
        CompletableFuture<CallResult> call = read(node, Duration.ofMinutes(10));
        breakLogger();
        makeFail(node);

        Await.until("the call to end", PLENTY, call::isDone);
        assertThatThrownBy(call::join).hasCauseInstanceOf(StoreUnavailableException.class);
        Await.until("its threads to end", PLENTY, () -> threads().isEmpty());
        node.close();
    }

    @Test
    void aNodeThatFailsEndsItsCallsAlthoughTheLoggerBlocks() {
        CountDownLatch goOn = new CountDownLatch(1);
        logging = () -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        RunningNode node = open();
        CompletableFuture<CallResult> call = read(node, Duration.ofMinutes(10));
        breakLogger();
        makeFail(node);

        Await.until("the call to end", PLENTY, call::isDone);
        goOn.countDown();
        Await.until("its threads to end", PLENTY, () -> threads().isEmpty());
        node.close();
    }

    @Test
    void aNodeOpensAlthoughTheLoggerThrows() throws IOException {
        Files.writeString(directory.resolve("voter.state"), "damaged");
        breakLogger();
        RunningNode node = open();
        node.close();
        Await.until("its threads to end", PLENTY, () -> threads().isEmpty());
    }
}
