package dev.mandate.spi;

import java.util.Objects;

/**
 * One thing that was found out about a store, for people: {@code mandate doctor} prints a line for each.
 *
 * @param severity whether somebody has to do something
 * @param subject what it is about, one or two words in lower case: {@code version}, {@code cluster}, {@code clock}
 * @param sentence what was found and, unless it is well, what follows from it and what to do; names figures with their units, and the server it
 *     is about. Never a secret. May quote a server: whoever prints it makes it harmless for terminals
 */
public record Finding(Severity severity, String subject, String sentence) {
    /** The longest subject, in characters. */
    public static final int SUBJECT_MAX = 20;

    /** The longest sentence, in characters; a longer one is cut. */
    public static final int SENTENCE_MAX = 1_000;

    /** Whether somebody has to do something; later ones are worse. */
    public enum Severity {
        /** As it should be, or worth knowing. */
        OK,
        /** Elections work; something makes them slower, later or less safe than they could be. */
        WARNING,
        /** Elections do not work, or what the store is assumed to do is not so. */
        ERROR
    }

    /**
     * Cuts what is too long.
     *
     * @throws IllegalArgumentException if {@code subject} is empty or too long, or {@code sentence} is blank
     */
    public Finding {
        Objects.requireNonNull(severity, "severity");
        if (subject.isBlank() || subject.length() > SUBJECT_MAX) {
            throw new IllegalArgumentException(
                    "the subject of a finding is '" + subject + "'; it must have 1 to " + SUBJECT_MAX + " characters");
        }
        if (sentence.isBlank()) {
            throw new IllegalArgumentException("the finding about '" + subject + "' says nothing");
        }
        if (sentence.length() > SENTENCE_MAX) {
            sentence = sentence.substring(0, SENTENCE_MAX - 1) + "…";
        }
    }

    /** As it should be, or worth knowing. */
    public static Finding ok(String subject, String sentence) {
        return new Finding(Severity.OK, subject, sentence);
    }

    /** Something makes elections slower, later or less safe than they could be. */
    public static Finding warning(String subject, String sentence) {
        return new Finding(Severity.WARNING, subject, sentence);
    }

    /** Elections do not work, or what the store is assumed to do is not so. */
    public static Finding error(String subject, String sentence) {
        return new Finding(Severity.ERROR, subject, sentence);
    }
}
