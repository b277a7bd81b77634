package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reason given with a status. The status follows two equal answers, so the last answer may differ from it. */
class HealthCommandTest {
    @TempDir
    private Path temp;

    private HealthCommand command(String script, Duration timeout) {
        return new HealthCommand(script, Map.of(), name -> false, timeout);
    }

    @Test
    void theReasonFitsTheStatusWhateverTheLastAnswer() throws Exception {
        Path well = temp.resolve("well");
        HealthCommand health = command("[ -e " + well + " ] || exit 7", Duration.ofSeconds(60));
        assertThat(health.words(Status.UP)).isEmpty();
        assertThat(health.words(Status.DOWN)).isEmpty();

        assertThat(health.getAsBoolean()).isFalse();
        assertThat(health.words(Status.DOWN)).isEqualTo("the health check ended with exit code 7");
        assertThat(health.words(Status.UP)).isEmpty();

        Files.createFile(well);
        assertThat(health.getAsBoolean()).isTrue();
        assertThat(health.words(Status.UP)).isEqualTo("the health check passed");
        assertThat(health.words(Status.DOWN)).isEqualTo("the health check ended with exit code 7");

        assertThat(health.getAsBoolean()).isTrue();
        assertThat(health.words(Status.DOWN))
                .as("why a later status DOWN was set, before a check says so")
                .isEmpty();
    }

    @Test
    void noAnswerIsTheReasonForAStatusThatNoCheckSets() {
        HealthCommand health = command("true", Duration.ofSeconds(60));

        assertThat(health.getAsBoolean()).isTrue();
        assertThat(health.words(Status.OUT_OF_SERVICE)).isEmpty();
        assertThat(health.words(Status.STARTING)).isEmpty();
    }

    @Test
    void aCheckThatTakesTooLongHasFailed() {
        HealthCommand health = command("sleep 600", Duration.ofMillis(20));

        assertThat(health.getAsBoolean()).isFalse();
        assertThat(health.words(Status.DOWN)).isEqualTo("the health check took longer than 20 ms");
    }
}
