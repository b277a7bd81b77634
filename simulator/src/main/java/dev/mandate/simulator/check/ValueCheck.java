package dev.mandate.simulator.check;

import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one client says of its own terms in one election agrees with the store, which also shows what it published. */
public final class ValueCheck {
    private final Judge judge;
    private final Chronicle chronicle;
    private final String who;
    private final int election;
    private final List<Command> commands = new ArrayList<>(0);

    private record Command(@Nullable Id attempt, String value) {}

    /** {@code who} names the client in messages. */
    public ValueCheck(String who, int election, Chronicle chronicle, Judge judge) {
        this.judge = judge;
        this.chronicle = chronicle;
        this.who = who;
        this.election = election;
    }

    /** A term was announced, with the record that won it. */
    public void begun(long term, Id attempt, Observation.Held held) {
        if (!held.isAttempt(attempt) || held.term() != term) {
            judge.violated(Invariant.VALUE, who + " begins term " + term + " with another record: " + held);
        } else if (chronicle.find(election, held, 0) == Chronicle.NEVER) {
            judge.violated(
                    Invariant.VALUE,
                    who + " begins term " + term + " with value '"
                            + held.record().value() + "', which its record never had");
        }
    }

    /** The store shows this for the attempt of the current term. */
    public void shown(long term, Observation.Held held) {
        if (held.term() != term) {
            judge.violated(Invariant.VALUE, who + " leads term " + term + ", but its record has term " + held.term());
        }
    }

    /** A proclaim command, numbered from 1, was given to the term of {@code attempt}; null if none is led. */
    public void proclaims(@Nullable Id attempt, String value) {
        commands.add(new Command(attempt, value));
    }

    /** The command was confirmed. A later one may have overtaken it. */
    public void proclaimed(long command) {
        Command given = command <= commands.size() ? commands.get((int) command - 1) : null;
        Id attempt = given == null ? null : given.attempt;
        if (attempt == null) {
            judge.violated(
                    Invariant.VALUE, who + " confirms proclaim " + command + ", which was not asked of a leader");
            return;
        }
        List<String> values = new ArrayList<>();
        for (int i = (int) command - 1; i < commands.size(); i++) {
            if (attempt.equals(commands.get(i).attempt)) {
                values.add(commands.get(i).value);
            }
        }
        if (!chronicle.stood(election, attempt, values)) {
            judge.violated(
                    Invariant.VALUE,
                    who + " confirms proclaim " + command + ", but its record had only "
                            + chronicle.values(election, attempt));
        }
    }
}
