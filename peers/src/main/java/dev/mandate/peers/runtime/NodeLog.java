package dev.mandate.peers.runtime;

import dev.mandate.peers.transport.LogLines;
import java.lang.System.Logger.Level;

/** The log of all nodes. If the logger blocks or throws, lines are lost: it must neither hold up a node nor end it. */
final class NodeLog {
    private static final LogLines LINES = new LogLines(System.getLogger("dev.mandate.peers"), "mandate-peers-log");

    private NodeLog() {}

    /** A sentence as it is. */
    static void log(Level level, String sentence) {
        LINES.write(to -> to.log(level, sentence));
    }

    /** A form as {@link java.text.MessageFormat} reads it; its parts must not change any more. */
    static void log(Level level, String form, Object... parts) {
        LINES.write(to -> to.log(level, form, parts));
    }

    /** A sentence as it is, with its cause. */
    static void log(Level level, String sentence, Throwable cause) {
        LINES.write(to -> to.log(level, sentence, cause));
    }
}
