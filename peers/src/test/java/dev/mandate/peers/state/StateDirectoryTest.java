package dev.mandate.peers.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Recall;
import dev.mandate.peers.register.Start;
import dev.mandate.spi.Id;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class StateDirectoryTest {
    private static final Group THREE = new Group(3);
    private static final String LIST = "b:1 of a:1,b:1,c:1";
    private static final Start START = new Start(4, new Id(1, 2));
    private static final DurableState STATE = new DurableState(
            3_000_000_000L,
            1_700_000_000_000L,
            true,
            START,
            List.of(new Id(5, 6)),
            List.of(new Id(7, 8)),
            List.of(START, Start.NONE, START));

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("voter.state");
    }

    @Test
    void whatWasSavedComesBack() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            assertThat(state.load(THREE, LIST)).isInstanceOf(Recall.Missing.class);
            state.save(STATE, LIST);
            assertThat(state.load(THREE, LIST)).isEqualTo(new Recall.Intact(STATE));
        }
    }

    /** The next process may have promised more since. */
    @Test
    void whoClosedItWritesNothingMore() throws IOException {
        StateDirectory former = StateDirectory.open(directory);
        former.save(DurableState.none(THREE), LIST);
        former.close();
        try (StateDirectory next = StateDirectory.open(directory)) {
            next.save(STATE, LIST);

            assertThatThrownBy(() -> former.save(DurableState.none(THREE), LIST))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is closed");

            assertThat(next.load(THREE, LIST)).isEqualTo(new Recall.Intact(STATE));
        }
    }

    /** It would undo what the next process has promised. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void nobodyIsLetInWhileSomethingIsBeingWritten() throws Exception {
        Path fresh = directory.resolve("voter.state.new");
        // A pipe that nobody reads: the write hangs.
        assertThat(new ProcessBuilder("mkfifo", fresh.toString()).start().waitFor())
                .isZero();
        StateDirectory state = StateDirectory.open(directory);
        Thread writer = new Thread(() -> {
            try {
                state.save(STATE, LIST);
            } catch (IOException e) {
                // A pipe cannot be flushed.
            }
        });
        writer.start();
        Await.until(
                "the writer to write",
                Duration.ofSeconds(30),
                () -> Stream.of(writer.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("open0")
                                || frame.getClassName().equals("sun.nio.fs.UnixNativeDispatcher")));

        state.close();

        assertThatThrownBy(() -> StateDirectory.open(directory)).hasMessageContaining("is locked");
        new ProcessBuilder("cat", fresh.toString()).start().waitFor();
        writer.join();
        StateDirectory.open(directory).close();
    }

    /** A name is on the disk only once the directory is: what cannot be flushed must not count. */
    @Test
    void aDirectoryThatCannotBeFlushedIsNotTakenForALostFile() throws IOException {
        Path inner = directory.resolve("inner");
        try (StateDirectory state = StateDirectory.open(inner)) {
            Files.move(inner, directory.resolve("away"));
            assertThatThrownBy(() -> state.load(THREE, LIST)).isInstanceOf(StoreSetupException.class);
        }
    }

    @Test
    void aFileCutAtAnyByteIsDamaged() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            byte[] whole = Files.readAllBytes(file());
            for (int length = 0; length < whole.length; length++) {
                Files.write(file(), Arrays.copyOf(whole, length));
                assertThat(state.load(THREE, LIST)).as("cut to %s", length).isInstanceOf(Recall.Damaged.class);
            }
        }
    }

    @Test
    void aFileWithAnyBitFlippedIsDamaged() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            byte[] whole = Files.readAllBytes(file());
            for (int bit = 0; bit < whole.length * 8; bit++) {
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                Files.write(file(), flipped);
                assertThat(state.load(THREE, LIST)).as("bit %s", bit).isInstanceOf(Recall.Damaged.class);
            }
        }
    }

    @Test
    void aFileOfAnotherVersionIsNamedAsSuch() throws Exception {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            byte[] whole = Files.readAllBytes(file());
            int digits = "mandate voter ".length();
            assertThat((char) whole[digits]).isEqualTo('1');
            // The first byte after the list is the version of what the voter keeps.
            int body = whole.length - 32 - STATE.toBytes().length;
            for (int at : new int[] {digits, body}) {
                byte[] later = whole.clone();
                later[at]++;
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(later, later.length - 32));
                System.arraycopy(digest, 0, later, later.length - 32, 32);
                Files.write(file(), later);

                assertThat(state.load(THREE, LIST))
                        .as("byte %s", at)
                        .isInstanceOfSatisfying(
                                Recall.Damaged.class,
                                told -> assertThat(told.toString()).contains("another version"));
            }
        }
    }

    @Test
    void aFileThatIsFarTooLongIsDamaged() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            Files.write(file(), new byte[1 << 20]);
            assertThat(state.load(THREE, LIST)).isInstanceOf(Recall.Damaged.class);
        }
    }

    @Test
    void aDeletedFileIsMissingEvenIfItsSuccessorWasBegun() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            Files.move(file(), directory.resolve("voter.state.new"));
            assertThat(state.load(THREE, LIST)).isInstanceOf(Recall.Missing.class);
        }
    }

    @Test
    void aHalfWrittenSuccessorChangesNothing() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            Files.write(directory.resolve("voter.state.new"), new byte[] {1, 2, 3});
            assertThat(state.load(THREE, LIST)).isEqualTo(new Recall.Intact(STATE));
        }
    }

    @Test
    void whatCannotBeWrittenFailsAndLeavesTheFormerState() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            // Root may write anywhere, so a permission proves nothing: a device that is always full, and a directory in
            // the way.
            Path fresh = directory.resolve("voter.state.new");
            Files.createSymbolicLink(fresh, Path.of("/dev/full"));
            assertThatThrownBy(() -> state.save(STATE.inGroup(THREE), LIST)).isInstanceOf(IOException.class);
            assertThat(state.load(THREE, LIST)).isEqualTo(new Recall.Intact(STATE));
            Files.delete(fresh);
            Files.createDirectory(fresh);
            assertThatThrownBy(() -> state.save(STATE.inGroup(THREE), LIST)).isInstanceOf(IOException.class);
            assertThat(state.load(THREE, LIST)).isEqualTo(new Recall.Intact(STATE));
        }
    }

    @Test
    void aDirectoryThatCannotBeMadeIsRefusedInOneSentence() throws IOException {
        Path inTheWay = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> StateDirectory.open(inTheWay.resolve("state")))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("can't be written");
    }

    @Test
    void aFileThatCannotBeReadIsNotTakenForALostOne() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            Files.createDirectory(file());
            assertThatThrownBy(() -> state.load(THREE, LIST)).isInstanceOf(StoreSetupException.class);
        }
    }

    @Test
    void aSecondUserIsRefusedInThisProcessAndInAnother() throws IOException, InterruptedException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            assertThat(state).isNotNull();
            assertThatThrownBy(() -> StateDirectory.open(directory))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining("is locked")
                    .hasMessageContaining("runs already")
                    .hasMessageContaining("leave out self and state");
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Second.class.getName(),
                            directory.toString())
                    .inheritIO()
                    .start();
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(other.exitValue()).isEqualTo(3);
        }
        StateDirectory.open(directory).close();
    }

    /** Another process. */
    static final class Second {
        private Second() {}

        public static void main(String[] directory) {
            try (StateDirectory state = StateDirectory.open(Path.of(directory[0]))) {
                System.exit(state == null ? 1 : 0);
            } catch (StoreSetupException e) {
                System.exit(3);
            }
        }
    }

    @Test
    void anotherListKeepsTheCeilingAndNoPlaces() throws IOException {
        try (StateDirectory state = StateDirectory.open(directory)) {
            state.save(STATE, LIST);
            DurableState found = state.load(new Group(5), "other").state().orElseThrow();
            assertThat(found.ceiling()).isEqualTo(STATE.ceiling());
            assertThat(found.complete()).isTrue();
            assertThat(found.known()).hasSize(5).containsOnly(Start.NONE);
        }
    }
}
