package dev.mandate.simulator;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import java.util.Locale;

/** Replays one seed for people: its knobs, its last steps, how it ended, and the command that shows the same again. */
public final class Replay {
    /** The default number of steps to show. */
    public static final int LINES = 50;

    private final long seed;
    private final Aim aim;
    private final StoreKind kind;
    private final int lines;
    private final Schedule world;
    private final Transcript log;
    private final Outcome outcome;

    /** Runs {@code seed} and keeps the last {@code lines} lines of its transcript, 0 or more. */
    public Replay(long seed, Aim aim, StoreKind kind, int lines) {
        this.seed = seed;
        this.aim = aim;
        this.kind = kind;
        this.lines = lines;
        this.log = new Transcript(lines);
        this.world = Schedule.of(seed, aim, kind, new Coverage(), log);
        this.outcome = world.run();
    }

    /** How it ended. */
    public Outcome outcome() {
        return outcome;
    }

    /** The command that runs the same again, from the project's directory. */
    public String command() {
        String worlds = aim == Aim.GROUPS ? "--groups" : "--expiry " + kind.text() + " --aim " + aim.text();
        return "java -jar simulator/target/simulator.jar --seed " + seed + " " + worlds + " --lines " + lines;
    }

    /** Seed, knobs, the last steps, the ending, the command. */
    @Override
    public String toString() {
        String ending = outcome.broken() == null
                ? "nothing was broken"
                : "broken: " + outcome.broken() + ": " + outcome.words();
        return String.format(
                Locale.ROOT,
                "seed %d, expiry %s, aim %s%n%s%n%nthe last %d steps; true time in seconds%n%s%n%n%s%n"
                        + "at %.6f s, after %d steps; hash of the trace %016x%nagain: %s",
                seed,
                kind.text(),
                aim.text(),
                world.knobs(),
                lines,
                log,
                ending,
                outcome.endedAtNanos() / 1e9,
                outcome.steps(),
                outcome.hash(),
                command());
    }
}
