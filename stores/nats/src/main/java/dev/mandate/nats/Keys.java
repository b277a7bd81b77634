package dev.mandate.nats;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Maps records to keys of a bucket, and a prefix to the one subject that matches all records below it. Dots separate a
 * subject's words; a wildcard matches whole words.
 *
 * <p>The URL's template places elections, whose names may have dots. Records of other spaces are at
 * {@code =mandate.SPACE.SEGMENT.SEGMENT.=}, with all dots inside a segment escaped, so that one subject per prefix
 * matches them and nothing else. The last word, which no segment can be, makes that subject match the record at
 * the prefix, too.
 *
 * <p>A consumer with several filters could separate elections from the rest, but servers have lost messages of such
 * consumers (nats-server issues 6824, 7336 and 7713). Thread-safe; one instance per open store.
 */
final class Keys {
    private static final String OTHERS = "=mandate.";
    private static final String END = ".=";
    private static final char ESCAPE = '=';
    private static final String PLAIN = "-_";

    private final KeyTemplate elections;

    /** Its paths have slashes where subjects have dots. */
    private final KeyTemplate others =
            KeyTemplate.of(KeyTemplate.ELECTION).withEscape(ESCAPE, PLAIN).withOthersBelow("=mandate/");

    /** Matches exactly the elections without a dot in their names; null if {@link #all} matches elections only. */
    private final @Nullable String undotted;

    private volatile boolean usesDots;

    /**
     * Uses a template, as in the parameter {@code key} of a store URL.
     *
     * @throws IllegalArgumentException if the template is wrong; says how
     */
    Keys(String template) {
        this.elections = KeyTemplate.of(template)
                .withEscape(ESCAPE, PLAIN)
                .withDotsBetween()
                .withOthersBelow(OTHERS);
        boolean isShared = elections.admitsMany() && all(RecordKey.elections()).equals(">");
        this.undotted = isShared ? template.replaceFirst("[^.]*\\{election}[^.]*", "*") : null;
    }

    /** As {@link KeyTemplate#admitsMany}. */
    boolean admitsMany() {
        return elections.admitsMany();
    }

    /** As {@link KeyTemplate#path}. */
    String path(RecordKey key) {
        return isElection(key) ? elections.path(key) : others.path(key).replace('/', '.') + END;
    }

    /** As {@link KeyTemplate#key}. */
    Optional<RecordKey> key(String path) {
        if (!path.startsWith(OTHERS)) {
            return elections.key(path);
        }
        return path.endsWith(END)
                ? others.key(path.substring(0, path.length() - END.length()).replace('.', '/'))
                        .filter(key -> path(key).equals(path))
                : Optional.empty();
    }

    /**
     * Matches all records at or below {@code prefix}. If elections have no first word of their own, it matches all
     * other records, too; {@link #key} tells them apart.
     */
    String all(RecordKey prefix) {
        if (isElection(prefix)) {
            String start = elections.start(prefix);
            return elections.admitsMany() ? start.substring(0, start.lastIndexOf('.') + 1) + '>' : start;
        }
        String start = others.start(prefix).replace('/', '.');
        return (start.endsWith(".") ? start : start + '.') + '>';
    }

    /**
     * The same for a watch, which receives every renewal below {@code prefix}: a watch of all elections leaves out
     * names with dots until one is {@linkplain #widens used}.
     */
    String watched(RecordKey prefix) {
        return undotted != null && !usesDots && prefix.equals(RecordKey.elections()) ? undotted : all(prefix);
    }

    /** Notes that {@code path} is used; true if {@link #watched} did not match it until now. */
    boolean widens(String path) {
        if (undotted == null || usesDots || words(path) <= words(undotted) || path.startsWith(OTHERS)) {
            return false;
        }
        usesDots = true;
        return true;
    }

    private static int words(String subject) {
        int words = 1;
        for (int dot = subject.indexOf('.'); dot >= 0; dot = subject.indexOf('.', dot + 1)) {
            words++;
        }
        return words;
    }

    private static boolean isElection(RecordKey key) {
        return key.space().equals(RecordKey.ELECTIONS);
    }

    /** The template. */
    @Override
    public String toString() {
        return elections.toString();
    }
}
