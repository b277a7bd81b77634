package dev.mandate.nats;

import dev.mandate.spi.RecordKey;
import dev.mandate.support.KeyTemplate;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where records stand in a bucket, and the one subject that names all of those below a prefix. A subject's words are
 * what its dots separate; wildcards stand for whole words.
 *
 * <p>Elections stand where the template of the URL puts them, and their names may have dots. Records of other spaces
 * stand at {@code =mandate.SPACE.SEGMENT.SEGMENT.=}, with all dots inside a segment escaped: a subject per prefix
 * matches them and nothing else. The last word, which no segment is written as, is there so that this subject matches
 * the record at the prefix, too.
 *
 * <p>Several filters in one consumer would tell elections from the rest, but servers have lost messages of such
 * consumers (nats-server issues 6824, 7336 and 7713). Thread-safe; one object per opened store.
 */
final class Keys {
    private static final String OTHERS = "=mandate.";
    private static final String END = ".=";
    private static final char ESCAPE = '=';
    private static final String PLAIN = "-_";

    private final KeyTemplate elections;

    /** With slashes where subjects have dots. */
    private final KeyTemplate others =
            KeyTemplate.of(KeyTemplate.ELECTION).withEscape(ESCAPE, PLAIN).withOthersBelow("=mandate/");

    /**
     * What matches all elections without a dot in their names, and nothing of other spaces; null where {@link #all}
     * does for every name.
     */
    private final @Nullable String undotted;

    private volatile boolean usesDots;

    /**
     * By a template, as given in the parameter {@code key} of a store URL.
     *
     * @throws IllegalArgumentException that says what is wrong with it
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
     * What matches the keys of all records at or below {@code prefix}, and, where elections have no first word of their
     * own, those of all others, too; {@link #key} tells them apart.
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
     * The same for a watch, to which the records below {@code prefix} are sent whenever they are renewed: of all
     * elections, those with dots in their names are left out for as long as none is {@linkplain #widens used}.
     */
    String watched(RecordKey prefix) {
        return undotted != null && !usesDots && prefix.equals(RecordKey.elections()) ? undotted : all(prefix);
    }

    /** Notes that what stands at {@code path} is used; true if {@link #watched} did not match it until now. */
    boolean widens(String path) {
        if (undotted == null || usesDots || words(path) <= words(undotted) || path.startsWith(OTHERS)) {
            return false;
        }
        usesDots = true;
        return true;
    }

    private static int words(String subject) {
        int dots = 0;
        for (int i = 0; i < subject.length(); i++) {
            dots += subject.charAt(i) == '.' ? 1 : 0;
        }
        return dots + 1;
    }

    private static boolean isElection(RecordKey key) {
        return key.space().equals(RecordKey.ELECTIONS);
    }

    /** The template as it was given. */
    @Override
    public String toString() {
        return elections.toString();
    }
}
