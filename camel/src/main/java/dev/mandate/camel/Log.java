package dev.mandate.camel;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** What this module logs. A logger that throws keeps nobody from stopping routes. */
final class Log {
    private static final Logger LOGGER = System.getLogger("dev.mandate.camel");

    private Log() {}

    static void warn(String sentence, Throwable why) {
        log(Level.WARNING, sentence, why);
    }

    static void error(String sentence, Throwable why) {
        log(Level.ERROR, sentence, why);
    }

    private static void log(Level level, String sentence, Throwable why) {
        try {
            LOGGER.log(level, sentence, why);
        } catch (Throwable e) {
            // There is nowhere else to say it.
        }
    }
}
