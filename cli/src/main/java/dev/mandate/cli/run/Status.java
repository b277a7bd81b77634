package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.cli.Console;
import dev.mandate.cli.ExitCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What {@code run} tells people, on standard error. Never waits long for them. Safe for use from many threads. */
final class Status implements AutoCloseable {
    private static final int SIGNALS = 64;
    private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final Lines lines;
    private final String election;
    private final boolean quiet;

    // Guarded by this.
    private boolean seen;
    private @Nullable LeaderView latest;
    /** The token of the leader that was named last. */
    private long following;
    /** The token that was last said to be held without leading. */
    private long settling;

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

    /** Says in a second that this takes long, if it still does. */
    void noteLater(String text, BooleanSupplier stillSo) {
        LATER.execute(() -> {
            if (stillSo.getAsBoolean()) {
                note(text);
            }
        });
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
        latest = view;
        view.leader().ifPresent(leader -> {
            if (leader.candidate().equals(self)) {
                // The record may be seen before the answer that makes it ours, and another one may have the same id.
                LATER.execute(() -> namedAlike(view, leader, standing));
            } else {
                follows(leader);
            }
        });
    }

    private synchronized void namedAlike(LeaderView view, Leader leader, Election standing) {
        if (latest != view) {
            return;
        }
        Standing.State state = standing.standing().state();
        if (state == Standing.State.FOLLOWING) {
            follows(leader);
        } else if (state == Standing.State.SETTLING && leader.token().value() != settling) {
            settling = leader.token().value();
            note("holding '" + election + "', token " + leader.token()
                    + "; leading once another program that led before has had time to stop");
        }
    }

    private void follows(Leader leader) {
        if (leader.token().value() != following) {
            following = leader.token().value();
            note("following '" + election + "', led by '" + Leader.printable(leader.candidate()) + "' (token "
                    + leader.token() + ")");
        }
    }
}
