package dev.mandate.console;

/**
 * Silences {@code java.util.logging}, where the stores' libraries log what only their authors understand; exceptions
 * report what matters. Loaded only once a library logs, so no command waits for it.
 */
public final class SilentLibraries {
    private static final String PROPERTY = "java.util.logging.config.class";
    private static final String FILE = "java.util.logging.config.file";

    /** Called by {@code java.util.logging}, which then configures nothing else. */
    public SilentLibraries() {}

    /** Silences logging, unless the user configured it. Call this before anything is logged. */
    public static void install() {
        if (System.getProperty(PROPERTY) == null && System.getProperty(FILE) == null) {
            System.setProperty(PROPERTY, SilentLibraries.class.getName());
        }
    }
}
