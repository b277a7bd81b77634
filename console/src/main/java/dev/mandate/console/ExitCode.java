package dev.mandate.console;

/** The exit codes of the commands. */
public final class ExitCode {
    /** Done. */
    public static final int OK = 0;

    /** An unexpected error; {@code --debug} shows where. */
    public static final int UNEXPECTED = 1;

    /** Bad input: an option, a URL, a setting or a name. */
    public static final int BAD_INPUT = 2;

    /** The store did not answer; try again later. */
    public static final int UNAVAILABLE = 3;

    /** The store has to be set up first; trying again does not help. */
    public static final int SETUP = 4;

    /** {@code demo}: something that it should show did not happen. */
    public static final int NOT_SHOWN = 5;

    /** {@code doctor}: elections work, but something should be better. */
    public static final int WARNINGS = 1;

    /** {@code doctor}: elections do not work. */
    public static final int ERRORS = 2;

    /** {@code evict}, {@code leader}: nobody led. */
    public static final int VACANT = 10;

    /** {@code evict}: the record is another program's; only force works. */
    public static final int FOREIGN = 11;

    /** {@code evict}: another term had begun meanwhile and was not touched. */
    public static final int MOVED_ON = 12;

    /** {@code run} for a single term: leadership was lost before the command ended or could be started. */
    public static final int LEAD_LOST = 123;

    /** {@code run --wait}, {@code run --no-wait}: not elected in time. */
    public static final int NOT_ELECTED = 124;

    /** {@code run}, {@code register}: they failed themselves, before the command started or while it ran. */
    public static final int RUN_FAILED = 125;

    /** {@code run}, {@code register}: the command exists but cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** {@code run}, {@code register}: there is no such command. */
    public static final int NOT_FOUND = 127;

    /** Added to the number of the signal that ended a process. */
    public static final int SIGNAL = 128;

    private ExitCode() {}
}
