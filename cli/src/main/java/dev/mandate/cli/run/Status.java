package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.cli.Console;
import dev.mandate.cli.ExitCode;

/** What {@code run} tells people, on standard error. Never waits long for them. Safe for use from many threads. */
final class Status implements AutoCloseable {
    private static final int SIGNALS = 64;

    private final Lines lines;
    private final String election;
    private final boolean quiet;

    // Guarded by this.
    private boolean seen;
    /** The token of the leader that was named last. */
    private long following;

    Status(Console console, String election, boolean quiet) {
        this.lines = new Lines(console::say);
        this.election = election;
        this.quiet = quiet;
    }

    /** For what is no error. */
    void note(String text) {
        if (!quiet) {
            lines.say(text);
        }
    }

    /** For errors: said even when quiet. */
    void say(String text) {
        lines.say(text);
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

    /** Waits for a second at most until all is written. */
    @Override
    public void close() {
        lines.close();
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
