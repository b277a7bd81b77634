package dev.mandate.peers.runtime;

import java.lang.System.Logger.Level;

/** The log of nodes. If a logger throws, a line is lost: it must not end a node, nor what comes after the line. */
final class NodeLog {
    private static final System.Logger LOG = System.getLogger("dev.mandate.peers");

    private NodeLog() {}

    static void log(Level level, String form, Object... parts) {
        try {
            LOG.log(level, form, parts);
        } catch (RuntimeException | Error e) {
            // It cannot be reported.
        }
    }

    /** A sentence as it is, with its cause. */
    static void log(Level level, String sentence, Throwable cause) {
        try {
            LOG.log(level, sentence, cause);
        } catch (RuntimeException | Error e) {
            // It cannot be reported.
        }
    }
}
