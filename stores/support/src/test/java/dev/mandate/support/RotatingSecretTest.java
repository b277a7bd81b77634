package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server and a file that learn of a new password one after the other, in each order. */
class RotatingSecretTest {
    private static final String A = "canary-a";
    private static final String B = "canary-b";
    private static final String C = "canary-c";
    private static final Logger LOGGER = Logger.getLogger("dev.mandate.store");

    @TempDir
    Path folder;

    private Path file;
    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord said) {
            if (said.getMessage().contains(folder.toString())
                    || said.getParameters() != null
                            && said.getParameters()[0].toString().contains(folder.toString())) {
                logged.add(said);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** What the server takes, and how often it was asked. */
    private String accepted = A;

    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("password"), A + "\n");
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void forget() {
        LOGGER.removeHandler(handler);
    }

    private RotatingSecret<String> secret() {
        return StoreSecret.of(StoreUrl.parse("x://h?passwordFile=" + file), "password", null)
                .orElseThrow();
    }

    private boolean accepts(String secret) {
        asked.incrementAndGet();
        return secret.equals(accepted);
    }

    /** As stores do it. */
    private boolean logsIn(RotatingSecret<String> secret) {
        String first = secret.forLogin();
        return accepts(first) || secret.rejected(first) && accepts(secret.current());
    }

    private long warnings() {
        return logged.stream()
                .filter(said -> said.getLevel().equals(Level.WARNING))
                .count();
    }

    @AfterEach
    void nothingLoggedShowsASecret() {
        assertThat(logged)
                .noneSatisfy(
                        said -> assertThat(new SimpleFormatter().format(said)).contains("canary"));
    }

    @Test
    void theFileThatIsReplacedBeforeTheServerIsToldLeavesTheFormerSecretInUse() throws Exception {
        RotatingSecret<String> secret = secret();
        Files.writeString(file, B);
        assertThat(logsIn(secret)).isTrue();
        assertThat(secret.current()).isEqualTo(A);
        assertThat(warnings()).isEqualTo(1);
        asked.set(0);
        assertThat(logsIn(secret)).isTrue();
        assertThat(asked).hasValue(1);

        accepted = B;

        assertThat(logsIn(secret)).isTrue();
        assertThat(secret.current()).isEqualTo(B);
        assertThat(warnings()).isEqualTo(1);
    }

    @Test
    void theServerThatIsToldFirstRejectsUntilTheFileIsReplaced() throws Exception {
        RotatingSecret<String> secret = secret();
        accepted = B;
        assertThat(logsIn(secret)).isFalse();
        assertThat(asked).hasValue(1);

        Files.writeString(file, B);

        assertThat(logsIn(secret)).isTrue();
        assertThat(asked).hasValue(2);
    }

    /** Two tries are all that one call makes, and the former secret is forgotten once it was rejected, too. */
    @Test
    void whatTheServerRejectsIsNotTriedAgainAndAgain() throws Exception {
        RotatingSecret<String> secret = secret();
        Files.writeString(file, B);
        accepted = C;
        assertThat(logsIn(secret)).isFalse();
        assertThat(asked).hasValue(2);
        assertThat(logsIn(secret)).isFalse();
        asked.set(0);
        assertThat(logsIn(secret)).isFalse();
        assertThat(asked).hasValue(1);
        assertThat(secret.current()).isEqualTo(B);
    }

    @Test
    void whoeverComesLaterWithTheFormerSecretIsToldOfTheNewOne() throws Exception {
        RotatingSecret<String> secret = secret();
        Files.writeString(file, B);
        assertThat(secret.forLogin()).isEqualTo(B);

        assertThat(secret.rejected(A)).isTrue();
        assertThat(secret.rejected(A)).isTrue();
        assertThat(secret.current()).isEqualTo(B);
    }

    @Test
    void aFileThatIsMissingOrHalfWrittenKeepsTheSecretWithOneWarning() throws Exception {
        RotatingSecret<String> secret = secret();
        Files.delete(file);
        assertThat(secret.forLogin()).isEqualTo(A);
        Files.writeString(file, "");
        assertThat(secret.forLogin()).isEqualTo(A);
        assertThat(warnings()).isEqualTo(1);
        Files.writeString(file, B + "\n");
        assertThat(secret.forLogin()).isEqualTo(B);
        Files.delete(file);
        assertThat(secret.forLogin()).isEqualTo(B);
        assertThat(warnings()).isEqualTo(2);
    }

    @Test
    void aFileThatIsMissingAtFirstIsAFault() {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> StoreSecret.of(
                        StoreUrl.parse("x://h?passwordFile=" + folder.resolve("none")), "password", null))
                .withMessageContaining("none");
    }

    @Test
    void aFixedSecretStays() {
        RotatingSecret<String> secret = RotatingSecret.fixed(A);

        assertThat(secret.forLogin()).isEqualTo(A);
        assertThat(secret.rejected(A)).isFalse();
        assertThat(secret.rejected(B)).isTrue();
        assertThat(secret.toString()).doesNotContain("canary");
        assertThat(secret().toString()).doesNotContain("canary").contains(file.toString());
    }

    /** A mount whose server is gone holds up nobody but those that need the file, and not many of them. */
    @Test
    void aFileThatHangsIsWaitedForAside() {
        CountDownLatch mounted = new CountDownLatch(1);
        AtomicInteger reads = new AtomicInteger();
        RotatingSecret<String> secret = RotatingSecret.inFile("the file", () -> {
            if (reads.getAndIncrement() == 0) {
                return A;
            }
            try {
                mounted.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return B;
        });
        List<CompletableFuture<Boolean>> all =
                IntStream.range(0, 100).mapToObj(i -> secret.rejectedAside(A)).toList();

        assertThat(secret.current()).isEqualTo(A);
        assertThat(all.get(0)).isNotDone();
        assertThat(all.get(99)).isCompletedWithValue(false);
        mounted.countDown();
        assertThat(all.get(0).join()).isTrue();
        assertThat(all.get(1).join()).isTrue();
        assertThat(secret.current()).isEqualTo(B);
    }
}
