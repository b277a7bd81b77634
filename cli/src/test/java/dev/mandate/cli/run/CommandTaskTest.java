package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.cli.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of {@code run} where a term passes without its command. The supervisors are real, the terms are told. */
class CommandTaskTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final Status status = new Status(Console.to(said, said), "größe", false);

    /** Has been prolonged, but too late for the supervisor, which was told of a deadline that has passed. */
    private final ToldTerm hasty = new ToldTerm(Duration.ZERO) {
        @Override
        public boolean isValid() {
            return true;
        }
    };

    private CommandTask task(boolean once) {
        return new CommandTask(
                List.of("sh", "-c", "exit 5"),
                "someone",
                name -> false,
                LEASE,
                Duration.ofSeconds(1),
                once,
                null,
                status);
    }

    private String said() {
        status.close();
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aSupervisorThatWasTooLateCostsATermAndNoMore() throws Exception {
        CommandTask task = task(false);

        task.run(hasty);
        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isFalse();

        task.run(new ToldTerm(LEASE));
        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isFalse();
        assertThat(task.exitCode()).isEqualTo(5);
        assertThat(said()).contains("the command was not started: its supervisor took longer");
    }

    @Test
    void whoRunsOnceEndsAsAfterALostLeadWhereItWasTooLate() throws Exception {
        CommandTask task = task(true);

        task.run(hasty);

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(123);
    }

    @Test
    void whoRunsOnceEndsAsAfterALostLeadWhereTheTermWasOverBefore() throws Exception {
        CommandTask task = task(true);

        task.run(new ToldTerm(Duration.ZERO));

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(123);
    }
}
