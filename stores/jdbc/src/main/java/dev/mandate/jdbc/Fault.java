package dev.mandate.jdbc;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import java.sql.SQLException;

/**
 * What an error of the database means.
 *
 * @param kind who has to do something
 * @param sentence what is wrong and what to do, without secrets
 */
record Fault(Kind kind, String sentence) {

    /** Who has to do something. */
    enum Kind {
        /** Somebody has to change something; nothing was written. */
        PERMANENT,
        /** The same: the credentials are refused, or lack a right. */
        DENIED,
        /** It may work later, on the same connection. */
        PASSING,
        /** It may work later, on a new connection. */
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

    /** As it is thrown. */
    ElectionException exception(String store, String what, SQLException cause) {
        String message = store + ": " + what + ": " + sentence;
        return switch (kind) {
            case PERMANENT -> new StoreSetupException(message, cause);
            case DENIED -> StoreSetupException.denied(message, cause);
            case PASSING, BROKEN -> new StoreUnavailableException(message, cause);
        };
    }
}
