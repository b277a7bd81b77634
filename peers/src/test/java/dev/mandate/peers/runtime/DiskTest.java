package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.node.NodeAction;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Recall;
import dev.mandate.peers.state.StateDirectory;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(NodeLogger.LOCK)
class DiskTest {
    private static final Group THREE = new Group(3);
    private static final Duration PLENTY = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final Queue<NodeEvent> told = new ConcurrentLinkedQueue<>();
    private int refusals;

    private static NodeAction.Persist persist(long sequence) {
        DurableState none = DurableState.none(THREE);
        DurableState state = new DurableState(
                sequence, sequence, false, none.covers(), none.attempts(), none.founders(), none.known());
        return new NodeAction.Persist(sequence, state);
    }

    @Test
    void whatWasConfirmedIsThere() {
        StateDirectory directory = StateDirectory.open(folder);
        Disk disk = new Disk(directory, "list", "disk", told::add);
        for (int i = 1; i <= 50; i++) {
            disk.write(persist(i));
        }
        Await.until("the last to be written", PLENTY, () -> told.contains(new NodeEvent.Persisted(50)));
        assertThat(told).allMatch(event -> event instanceof NodeEvent.Persisted);

        assertThat(directory.load(THREE, "list"))
                .isEqualTo(new Recall.Intact(persist(50).state()));
        disk.close();
        StateDirectory.open(folder).close();
    }

    @Test
    void whatCannotBeWrittenIsSaidAndTheNextIsTried() throws IOException {
        Path inner = folder.resolve("inner");
        Disk disk = new Disk(StateDirectory.open(inner), "list", "disk", told::add);
        Path away = folder.resolve("away");
        Files.move(inner, away);
        disk.write(persist(1));
        Await.until("the failure", PLENTY, () -> told.contains(new NodeEvent.PersistFailed(1)));
        assertThat(told).hasSize(1);

        Files.move(away, inner);
        disk.write(persist(2));

        Await.until("the next one", PLENTY, () -> told.contains(new NodeEvent.Persisted(2)));
        disk.close();
    }

    /** As a JVM that may have no more threads; JUnit itself would not survive its OutOfMemoryError. */
    private Thread orNone(Runnable work) {
        if (refusals-- > 0) {
            throw new InternalError("unable to create native thread");
        }
        return new Thread(work, "disk");
    }

    @Test
    void whereNoThreadCouldBeStartedThatIsSaidAndTheNextIsTried() {
        Disk disk = new Disk(StateDirectory.open(folder), "list", this::orNone, told::add);
        refusals = 1;
        disk.write(persist(1));
        assertThat(told).containsExactly(new NodeEvent.PersistFailed(1));

        disk.write(persist(2));

        Await.until("the next one", PLENTY, () -> told.contains(new NodeEvent.Persisted(2)));
        disk.close();
    }

    @Test
    void whereNoThreadCouldBeStartedClosingLetsTheNextOneInAllTheSame() {
        Disk disk = new Disk(StateDirectory.open(folder), "list", this::orNone, told::add);
        refusals = 1;

        disk.close();

        StateDirectory.open(folder).close();
    }

    @Test
    void aWriteThatEndsWithAnErrorIsSaidAndTheNextIsTried() {
        Disk disk = new Disk(StateDirectory.open(folder), "list", "disk", event -> {
            if (event.equals(new NodeEvent.Persisted(1))) {
                throw new InternalError("of a test");
            }
            told.add(event);
        });
        disk.write(persist(1));
        Await.until("the failure", PLENTY, () -> told.contains(new NodeEvent.PersistFailed(1)));

        disk.write(persist(2));

        Await.until("the next one", PLENTY, () -> told.contains(new NodeEvent.Persisted(2)));
        disk.close();
    }

    @Test
    void aLoggerThatThrowsHidesNoFailure() {
        Consumer<LogRecord> broken = line -> {
            throw new IllegalStateException("of a test");
        };
        try (NodeLogger logger = new NodeLogger(broken)) {
            assertThat(logger).isNotNull();
            Disk disk = new Disk(StateDirectory.open(folder), "list", this::orNone, told::add);
            refusals = 1;
            disk.write(persist(1));
            assertThat(told).containsExactly(new NodeEvent.PersistFailed(1));
            disk.close();
        }
    }

    @Test
    void aLoggerThatBlocksDoesNotHoldUpTheVoter() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (NodeLogger logger = NodeLogger.blockedUntil(goOn)) {
            assertThat(logger).isNotNull();
            Disk disk = new Disk(StateDirectory.open(folder), "list", this::orNone, told::add);
            refusals = 1;
            Thread voter = new Thread(() -> disk.write(persist(1)));
            voter.start();
            Await.until("it to return", PLENTY, () -> !voter.isAlive());
            disk.close();
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void aWriteThatTheEndOvertakesIsNoTrouble() throws InterruptedException {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        try (NodeLogger logger = new NodeLogger(line -> lines.add(text(line)))) {
            assertThat(logger).isNotNull();
            AtomicReference<Thread> closing = new AtomicReference<>();
            AtomicReference<Disk> made = new AtomicReference<>();
            Disk disk = new Disk(
                    StateDirectory.open(folder),
                    "list",
                    work -> {
                        Thread end = new Thread(made.get()::close);
                        closing.set(end);
                        end.start();
                        Await.until("its end", PLENTY, this::isFree);
                        throw new InternalError("overtaken by its end");
                    },
                    told::add);
            made.set(disk);

            disk.write(persist(1));

            NodeLog.log(System.Logger.Level.INFO, "the last line");
            Await.until("the last line", PLENTY, () -> lines.stream().anyMatch(each -> each.contains("the last line")));
            assertThat(lines).noneMatch(each -> each.contains("overtaken by its end"));
            closing.get().join();
        }
    }

    private static String text(LogRecord line) {
        return line.getMessage() + Arrays.toString(line.getParameters());
    }

    private boolean isFree() {
        try {
            StateDirectory.open(folder).close();
            return true;
        } catch (StoreSetupException e) {
            return false;
        }
    }

    /** A write that is late must not undo one of the next process, which therefore waits. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nobodyIsLetInWhileSomethingIsBeingWritten() throws Exception {
        Path fresh = folder.resolve("voter.state.new");
        // A pipe that nobody reads: the write hangs.
        assertThat(new ProcessBuilder("mkfifo", fresh.toString()).start().waitFor())
                .isZero();
        Disk disk = new Disk(StateDirectory.open(folder), "list", "hanging-disk", told::add);
        disk.write(persist(1));
        // What it has not begun would be dropped.
        Thread writer = Await.value(
                "the writer to write",
                PLENTY,
                () -> Thread.getAllStackTraces().entrySet().stream()
                        .filter(each -> each.getKey().getName().equals("hanging-disk"))
                        .filter(each -> Stream.of(each.getValue())
                                .anyMatch(frame -> frame.getClassName().equals(StateDirectory.class.getName())))
                        .map(Map.Entry::getKey)
                        .findFirst());

        Thread.currentThread().interrupt();
        disk.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(() -> StateDirectory.open(folder)).hasMessageContaining("locked");
        new ProcessBuilder("cat", fresh.toString()).start().waitFor();
        writer.join();
        StateDirectory.open(folder).close();
    }
}
