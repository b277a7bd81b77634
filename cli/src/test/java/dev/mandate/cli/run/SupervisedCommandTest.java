package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.console.Arguments;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What a supervised command gets, how its end is told, and what keeps it running. */
class SupervisedCommandTest extends SupervisedFixture {
    @Test
    void passesOnTheExitCode() throws Exception {
        start("exit 7");

        assertThat(awaitEnd()).isEqualTo(7);
    }

    @Test
    void passesOnTheSignalThatEndedIt() throws Exception {
        start("kill -KILL $$");

        assertThat(awaitEnd()).isEqualTo(137);
    }

    @Test
    void tellsTheCommandItsTermAndHidesWhatIsToBeHidden() throws Exception {
        start("env >" + file("env"));

        awaitEnd();
        assertThat(Files.readString(file("env")).lines())
                .contains("MANDATE_ELECTION=größe", "MANDATE_TOKEN=42", "MANDATE_CANDIDATE=someone")
                .noneMatch(line -> line.startsWith("HOME="))
                .anyMatch(line -> line.startsWith("PATH="));
    }

    @Test
    void passesArgumentsByteForByte() throws Exception {
        byte[] latin1 = "größe\n\t \"'$HOME*".getBytes(StandardCharsets.ISO_8859_1);

        start(GRACE, "sh", "-c", "printf %s \"$1\" >" + file("argument"), "sh", Arguments.text(latin1));

        awaitEnd();
        assertThat(Files.readAllBytes(file("argument"))).isEqualTo(latin1);
    }

    @Test
    void runsTheProgramAndNotTheShellsOwnCommandOfThatName() throws Exception {
        start(GRACE, "exit", "3");

        while (!child.awaitAndProlong(term::remaining, TICK)) {
            // There is no program of that name.
        }
        assertThat(child.exitCode()).isEqualTo(127);
    }

    @Test
    void givesTheCommandNoFileButItsThreeStreams() throws Exception {
        start("ls /proc/self/fd >" + file("open"));

        awaitEnd();
        // The fourth is the folder that ls reads.
        assertThat(Files.readString(file("open")).lines()).containsExactly("0", "1", "2", "3");
    }

    @Test
    void aRehearsalFindsNothingMissingHere() throws Exception {
        SupervisedCommand.rehearse(name -> false, GRACE);
    }

    @Test
    void whatProlongsTheTermProlongsTheCommand() throws Exception {
        term.lasts(Duration.ofMillis(300));
        Instants first = Instants.now().plus(term.remaining());
        start("while :; do sleep 0.01; done");

        while (!Instants.now().isLaterThan(first, Duration.ofMillis(500))) {
            term.lasts(Duration.ofMillis(300));
            assertThat(child.awaitAndProlong(term::remaining, TICK)).isFalse();
        }

        awaitDeath();
    }

    @Test
    void aTickLeavesNothingInMemory() throws Exception {
        start("sleep 100");
        child.awaitAndProlong(term::remaining, Duration.ZERO);
        int before = streams();

        for (int i = 0; i < 2_000; i++) {
            child.awaitAndProlong(term::remaining, Duration.ZERO);
        }

        assertThat(streams() - before).isLessThan(1_000);
    }

    /** How many file streams are reachable in this virtual machine. */
    private static int streams() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(String::strip)
                .filter(line -> line.matches(".* java\\.io\\.FileInputStream( .*)?"))
                .mapToInt(line -> Integer.parseInt(line.split(" +")[1]))
                .findFirst()
                .orElse(0);
    }

    @Test
    void aCleanedFolderChangesNothing() throws Exception {
        start("echo >" + file("up") + "; while [ ! -e " + file("go") + " ]; do sleep 0.01; done; exit 3");
        awaitFile("up");
        Folders.delete(child.folder());

        Files.createFile(file("go"));

        assertThat(awaitEnd()).isEqualTo(3);
    }

    @Test
    void aCommandWhoseFolderWasCleanedIsStopped() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        Folders.delete(child.folder());

        child.stop();

        assertThat(child.exitCode()).isEqualTo(137);
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ENDED);
    }

    @Test
    void aTimerThatDoesNotListenEndsTheTerm() throws Exception {
        start("echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        freeze(timer());

        assertThatThrownBy(() -> {
                    while (!child.awaitAndProlong(term::remaining, TICK)) {
                        term.lasts(LONG);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not respond");
    }

    /** Both may be stopped, as by a frozen control group, and either may be the first to run again. */
    @Test
    void aTimerThatStoodStillWithThisProcessIsNotBlamed() throws Exception {
        start("echo >" + file("up") + "; while [ ! -e " + file("go") + " ]; do sleep 0.01; done; exit 3");
        awaitFile("up");
        freeze(timer());
        child.send("signal CONT");
        child.awaitAndProlong(term::remaining, TICK);

        Thread.sleep(2_200);
        assertThat(child.awaitAndProlong(term::remaining, TICK)).isFalse();

        thaw(timer());
        Files.createFile(file("go"));
        assertThat(awaitEnd()).isEqualTo(3);
    }

    @Test
    void nothingIsStartedForATermThatIsOver() throws Exception {
        term.lasts(Duration.ZERO);
        start("echo >" + file("up"));

        Await.until("the supervisor to end", SOON, () -> child.awaitAndProlong(term::remaining, TICK));

        assertThat(child.end()).isEqualTo(SupervisedCommand.End.TOO_LATE);
        assertThat(file("up")).doesNotExist();
    }
}
