package dev.mandate.spi;

import java.util.Objects;

/**
 * One finding about a store, for people: {@code mandate doctor} prints a line for each.
 *
 * @param severity whether somebody has to do something
 * @param subject the topic, one or two words in lower case: {@code version}, {@code cluster}, {@code clock}
 * @param sentence what was found and, unless all is well, what follows from it and what to do; names figures with
 *     their units, and the server concerned. Never a secret. May quote a server: the caller must make it safe to
 *     print on a terminal
 */
public record Finding(Severity severity, String subject, String sentence) {
    /** The most characters of a subject. */
    public static final int SUBJECT_MAX = 20;

    /** The most characters of a sentence; a longer one is cut. */
    public static final int SENTENCE_MAX = 1_000;

    /** Whether somebody has to do something, from best to worst. */
    public enum Severity {
        /** As it should be, or worth knowing. */
        OK,
        /** Elections work; something makes them slower, later or less safe than they could be. */
        WARNING,
        /** Elections do not work, or the store breaks one of its assumptions. */
        ERROR
    }

    /**
     * Cuts a sentence that is too long.
     *
     * @throws IllegalArgumentException if {@code subject} is blank or too long, or {@code sentence} is blank
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

    /** Elections do not work, or the store breaks one of its assumptions. */
    public static Finding error(String subject, String sentence) {
        return new Finding(Severity.ERROR, subject, sentence);
    }
}
