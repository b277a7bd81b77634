package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.cli.Console;
import dev.mandate.cli.ExitCode;

/** What {@code run} tells people, on standard error. Safe for use from many threads. */
final class Status {
    private static final int SIGNALS = 64;

    private final Console console;
    private final String election;
    private final boolean quiet;

    // Guarded by this.
    private boolean seen;
    /** The token of the leader that was named last. */
    private long following;

    Status(Console console, String election, boolean quiet) {
        this.console = console;
        this.election = election;
        this.quiet = quiet;
    }

    /** For what is no error. */
    void note(String text) {
        if (!quiet) {
            console.say(text);
        }
    }

    /** For errors: said even when quiet. */
    void say(String text) {
        console.say(text);
    }

    void leading(Leadership leadership) {
        note("leading '" + election + "', token " + leadership.fencingToken());
        leadership.lost().thenAccept(reason -> {
            if (reason != LossReason.COMPLETED && reason != LossReason.WITHDRAWN) {
                note("no longer leading '" + election + "': " + reason);
            }
        });
    }

    void ended(int code) {
        note(
                code > ExitCode.SIGNAL && code <= ExitCode.SIGNAL + SIGNALS
                        ? "the command was ended by signal " + (code - ExitCode.SIGNAL)
                        : "the command ended with exit code " + code);
    }

    /** Who leads, unless it is this process. Before the first look that is not known, and nothing is said. */
    synchronized void view(LeaderView view, Election standing, String self) {
        if (view instanceof LeaderView.Unknown && seen) {
            note("the store does not answer: who leads '" + election + "' is not known");
        }
        seen = !(view instanceof LeaderView.Unknown);
        view.leader()
                // Another one may have the same id, and then leads while this one follows.
                .filter(leader ->
                        !leader.candidate().equals(self) || standing.standing().state() == Standing.State.FOLLOWING)
                .filter(leader -> leader.token().value() != following)
                .ifPresent(leader -> {
                    following = leader.token().value();
                    note("following '" + election + "', led by '" + Leader.printable(leader.candidate()) + "' (token "
                            + leader.token() + ")");
                });
    }
}
