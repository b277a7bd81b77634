package dev.mandate.cli;

/** What the commands end with. {@code run} alone has its own: see there. */
public final class ExitCode {
    /** Done. */
    public static final int OK = 0;

    /** Something this program did not expect; {@code --debug} shows where. */
    public static final int UNEXPECTED = 1;

    /** What was given cannot be: an option, a URL, a setting, a name. */
    public static final int BAD_INPUT = 2;

    /** The store did not answer; trying again later is right. */
    public static final int UNAVAILABLE = 3;

    /** The store will not work until somebody changes something. */
    public static final int SETUP = 4;

    /** {@code demo}: not everything that was to be shown was seen. */
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

    /** {@code run --once}: the lead was lost before the command had ended, or could be started. */
    public static final int LEAD_LOST = 123;

    /** {@code run --wait}, {@code run --no-wait}: another one led for all that time. */
    public static final int NOT_ELECTED = 124;

    /** {@code run}: it failed itself, before or beside the command. */
    public static final int RUN_FAILED = 125;

    /** {@code run}: the command is there, but cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** {@code run}: there is no such command. */
    public static final int NOT_FOUND = 127;

    /** Added to the number of the signal that ended a process. */
    public static final int SIGNAL = 128;

    private ExitCode() {}
}
