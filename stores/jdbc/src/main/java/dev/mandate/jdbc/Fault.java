package dev.mandate.jdbc;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.sql.SQLException;

/**
 * The meaning of a database error.
 *
 * @param kind what can help
 * @param sentence what is wrong and what to do, without secrets
 */
record Fault(Kind kind, String sentence) {

    /** What can help. */
    enum Kind {
        /** The setup has to change; nothing was written. */
        PERMANENT,
        /** The same: the credentials were rejected, or lack a right. */
        DENIED,
        /** A later try may work on the same connection. */
        PASSING,
        /** A later try may work on a new connection. */
        BROKEN
    }

    static Fault permanent(String sentence) {
        return new Fault(Kind.PERMANENT, sentence);
    }

    static Fault denied(String sentence) {
        return new Fault(Kind.DENIED, sentence);
    }

    static Fault passing(String sentence) {
        return new Fault(Kind.PASSING, sentence);
    }

    static Fault broken(String sentence) {
        return new Fault(Kind.BROKEN, sentence);
    }

    /** The exception to throw. */
    ElectionException exception(String store, String what, SQLException cause) {
        String message = store + ": " + what + ": " + sentence;
        return switch (kind) {
            case PERMANENT -> new StoreSetupException(message, cause);
            case DENIED -> StoreSetupException.denied(message, cause);
            case PASSING, BROKEN -> new StoreUnavailableException(message, cause);
        };
    }
}
