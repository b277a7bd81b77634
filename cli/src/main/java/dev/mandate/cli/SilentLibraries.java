package dev.mandate.cli;

/**
 * Makes {@code java.util.logging} write nothing: that is where the libraries behind the stores say what only their authors understand, and what
 * matters of it is told by exceptions. Loaded only if one of them logs, so that no command waits for it.
 */
public final class SilentLibraries {
    private static final String PROPERTY = "java.util.logging.config.class";
    private static final String FILE = "java.util.logging.config.file";

    /** For {@code java.util.logging}, which configures nothing beside this. */
    public SilentLibraries() {}

    /** From now on; to be called before anything is logged. Who gave a configuration of their own keeps it. */
    public static void install() {
        if (System.getProperty(PROPERTY) == null && System.getProperty(FILE) == null) {
            System.setProperty(PROPERTY, SilentLibraries.class.getName());
        }
    }
}
