package dev.mandate.cli.run;

import dev.mandate.registry.Status;
import java.util.function.BooleanSupplier;

/** A check that fails when a command has failed twice in a row, because a single failure may be chance. */
final class RepeatedFailure implements BooleanSupplier {
    private static final int FAILURES = 2;

    private final HealthCommand command;
    private final Messages messages;
    private int failed;

    RepeatedFailure(HealthCommand command, Messages messages) {
        this.command = command;
        this.messages = messages;
    }

    @Override
    public synchronized boolean getAsBoolean() {
        failed = command.getAsBoolean() ? 0 : failed + 1;
        if (failed < FAILURES) {
            return true;
        }
        failed = 0;
        messages.note(command.words(Status.DOWN) + ", twice in a row");
        return false;
    }
}
