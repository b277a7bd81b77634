package dev.mandate.support;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.RecordKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where elections are kept in a store whose keys are text, so that a fleet can move over from a home-made recipe
 * without changing its keys: {@code /leaders/{election}}, {@code service/{election}/leader}, {@code MyApp/leader}.
 *
 * <p>{@code {election}} is replaced by the election's name. Every byte of its UTF-8 is escaped except letters, digits
 * and {@code - . _ ~ @ : +}; {@code .} and {@code ..} are escaped whole. The text is reversible, and no two elections
 * share a key. To reach a name that a recipe wrote without escapes, give the whole key.
 *
 * <p>Without {@code {election}} there is one key, which <strong>admits one election per client</strong>: the first that
 * is asked for. Nothing shows what other programs call that election, so until then a listing names it by the text of
 * the template.
 *
 * <p>Keys of other spaces are below the prefix of {@link #withOthersBelow}. Thread-safe; one object per opened store.
 */
public final class KeyTemplate {
    /** The placeholder of the election's name. */
    public static final String ELECTION = "{election}";

    /** What {@link #beside} appends unless {@link #withBeside} says otherwise. Never part of a key itself. */
    public static final String BESIDE = "#mandate";

    /** The longest template, in bytes of UTF-8. */
    public static final int BYTES_MAX = 512;

    private static final String PLAIN = "-._~@:+";
    private static final String HEX = "0123456789ABCDEF";
    private static final char ASCII = 128;
    private static final String HINT = "; write it like /leaders/{election} or MyApp/leader";

    private final String text;
    private final String before;
    private final @Nullable String after;
    private final @Nullable String others;
    private final char escape;
    private final String plain;
    private final boolean separatesByDots;
    private final String beside;

    /** Which ASCII characters names keep as they are. */
    private final boolean[] keeps = new boolean[ASCII];

    /** The election that the one key belongs to, once it is known. */
    private final AtomicReference<@Nullable RecordKey> only = new AtomicReference<>();

    private KeyTemplate(
            String text, @Nullable String others, char escape, String plain, boolean separatesByDots, String beside) {
        int at = text.indexOf(ELECTION);
        this.text = text;
        this.before = at < 0 ? text : text.substring(0, at);
        this.after = at < 0 ? null : text.substring(at + ELECTION.length());
        this.others = others;
        this.escape = escape;
        this.plain = plain;
        this.separatesByDots = separatesByDots;
        this.beside = beside;
        for (char c = 0; c < ASCII; c++) {
            keeps[c] = isLetterOrDigit(c) || plain.indexOf(c) >= 0;
        }
    }

    /**
     * Reads a template, as given in the parameter {@code key} of a store URL.
     *
     * @throws IllegalArgumentException that quotes the template and says what is wrong: empty, too long, control
     *     characters, {@code {election}} twice, other braces, or {@code #}, which marks keys {@link #beside} others
     */
    public static KeyTemplate of(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the parameter 'key' of the store URL is empty" + HINT);
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            throw new IllegalArgumentException("the parameter 'key' of the store URL has " + text.length()
                    + " characters; the limit is " + BYTES_MAX + " bytes of UTF-8");
        }
        RecordKey.requireName("the parameter 'key' of the store URL", text);
        int at = text.indexOf(ELECTION);
        String rest = at < 0 ? text : text.substring(0, at) + text.substring(at + ELECTION.length());
        if (rest.contains(ELECTION)) {
            throw refused(text, "has " + ELECTION + " twice; keep one");
        }
        if (rest.contains("{") || rest.contains("}")) {
            throw refused(text, "has a brace that is not part of " + ELECTION + HINT);
        }
        if (rest.contains("#")) {
            throw refused(text, "has a '#', which marks keys of Mandate's own; leave it out");
        }
        return new KeyTemplate(text, null, '%', PLAIN, false, BESIDE);
    }

    /**
     * The same, with keys of other spaces (registrations) below {@code prefix}. In a written name, two upper-case
     * hexadecimal digits follow every escape. A {@code prefix} that has anything else after an escape, in the place of
     * the name, collides with nothing.
     *
     * @throws IllegalArgumentException if an election's key could begin with {@code prefix}
     */
    public KeyTemplate withOthersBelow(String prefix) {
        boolean collides = before.startsWith(prefix)
                || after != null && prefix.startsWith(before) && !isNoName(prefix.substring(before.length()));
        if (collides) {
            throw refused(
                    text,
                    "could collide with the keys below " + prefix + ", which are Mandate's own;"
                            + (after == null ? " choose another key" : " write another word before " + ELECTION));
        }
        return new KeyTemplate(text, prefix, escape, plain, separatesByDots, beside);
    }

    private boolean isNoName(String start) {
        return start.length() > 1 && start.charAt(0) == escape && HEX.indexOf(start.charAt(1)) < 0;
    }

    /**
     * The same for a store that allows fewer characters in a key: names keep letters, digits and {@code plain}; every
     * other byte becomes {@code escape} and two hexadecimal digits.
     *
     * @throws IllegalArgumentException if {@code plain} has the escape, a letter, a digit, or one of {@code / # { }}
     */
    public KeyTemplate withEscape(char escape, String plain) {
        for (char c : (plain + escape).toCharArray()) {
            if ("/#{}".indexOf(c) >= 0 || isLetterOrDigit(c) || c >= 0x7F || c <= ' ' || plain.indexOf(escape) >= 0) {
                throw new IllegalArgumentException(
                        "names can't be written with '" + plain + "' plain and '" + escape + "' as the escape");
            }
        }
        return new KeyTemplate(text, others, escape, plain, separatesByDots, beside);
    }

    /** The same for a store whose keys are words separated by dots: names keep a dot only between other characters. */
    public KeyTemplate withDotsBetween() {
        return new KeyTemplate(text, others, escape, plain, true, beside);
    }

    /**
     * The same for a store whose keys can't have a {@code #}: {@link #beside} appends {@code suffix}.
     *
     * @throws IllegalArgumentException if a name could end in {@code suffix}, or the template contains it
     */
    public KeyTemplate withBeside(String suffix) {
        if (!isNoName(suffix)) {
            throw new IllegalArgumentException("a name can end in '" + suffix + "'");
        }
        if (text.contains(suffix)) {
            throw refused(text, "has '" + suffix + "', which marks keys of Mandate's own; leave it out");
        }
        return new KeyTemplate(text, others, escape, plain, separatesByDots, suffix);
    }

    private static IllegalArgumentException refused(String text, String why) {
        return new IllegalArgumentException("the parameter 'key' of the store URL, '" + text + "', " + why);
    }

    /** Whether every election has its own key, not a single election the only one. */
    public boolean admitsMany() {
        return after != null;
    }

    /**
     * The store's key of {@code key}.
     *
     * @throws StoreSetupException if the template has no {@code {election}} and another election of this client has its
     *     key; names both
     * @throws IllegalArgumentException if {@code key} names no single record, or is of another space without a prefix
     */
    public String path(RecordKey key) {
        if (key.segments().isEmpty()) {
            throw new IllegalArgumentException("'" + key + "' is the prefix of many keys, not a key");
        }
        if (isElection(key) && after == null && !key.equals(RecordKey.PROBE)) {
            bind(key);
        }
        return isElection(key) && after != null ? start(key) + after : start(key);
    }

    /** A key next to {@link #path} for bookkeeping, which belongs to nobody else. */
    public String beside(RecordKey key) {
        return beside(path(key));
    }

    /** The same for the record at {@code path}. */
    public String beside(String path) {
        return path + beside;
    }

    /** What {@link #beside} appends. */
    public String besideSuffix() {
        return beside;
    }

    private void bind(RecordKey key) {
        RecordKey owner = only.compareAndSet(null, key) ? key : only.get();
        if (!key.equals(owner)) {
            throw new StoreSetupException("the key '" + text + "' admits one election per client, and that is '"
                    + (owner == null ? "" : owner.name()) + "'; for '" + key.name() + "' open another client, or put "
                    + ELECTION + " into the parameter 'key' of the store URL");
        }
    }

    /**
     * The beginning of all keys at or below {@code prefix}. Other keys may share it ({@code webapp} beside
     * {@code web}), and {@link #key} tells them apart: a listing asks for {@link #below} instead.
     *
     * @throws IllegalArgumentException if {@code prefix} is of another space without a prefix
     */
    public String start(RecordKey prefix) {
        if (isElection(prefix)) {
            return after == null ? before : before + encoded(prefix);
        }
        if (others == null) {
            throw new IllegalArgumentException("the key '" + text + "' has no place for '" + prefix + "'");
        }
        String below = others + prefix.space();
        return prefix.segments().isEmpty() ? below + '/' : below + '/' + encoded(prefix);
    }

    /**
     * The beginning of all keys below {@code prefix}, which a name that merely begins alike does not share. The key of
     * {@code prefix} itself has it, too, unless {@link #apart} says otherwise. If the template has only one key, that
     * is it.
     *
     * @throws IllegalArgumentException if {@code prefix} is of another space without a prefix
     */
    public String below(RecordKey prefix) {
        return isWhole(prefix) ? start(prefix) : start(prefix) + '/';
    }

    /** Whether {@code prefix} covers all keys of a kind, or is the only one. */
    private boolean isWhole(RecordKey prefix) {
        return prefix.segments().isEmpty() || isElection(prefix) && after == null;
    }

    /** The key of {@code prefix} itself, if it does not begin with {@link #below} and must be queried separately. */
    public Optional<String> apart(RecordKey prefix) {
        return isWhole(prefix)
                ? Optional.empty()
                : Optional.of(path(prefix)).filter(path -> !path.startsWith(below(prefix)));
    }

    /** The record whose key is {@code path}; empty if there is none, as for every key {@link #beside} another. */
    public Optional<RecordKey> key(String path) {
        if (others != null && path.startsWith(others)) {
            String below = path.substring(others.length());
            int slash = below.indexOf('/');
            return slash < 0 ? Optional.empty() : decoded(below.substring(0, slash), below.substring(slash + 1));
        }
        if (after == null) {
            RecordKey bound = only.get();
            return !path.equals(before)
                    ? Optional.empty()
                    : Optional.of(bound == null ? RecordKey.election(text) : bound);
        }
        return path.length() > before.length() + after.length() && path.startsWith(before) && path.endsWith(after)
                ? decoded(RecordKey.ELECTIONS, path.substring(before.length(), path.length() - after.length()))
                : Optional.empty();
    }

    private static boolean isElection(RecordKey key) {
        return key.space().equals(RecordKey.ELECTIONS);
    }

    private String encoded(RecordKey key) {
        List<String> segments = key.segments();
        if (segments.size() == 1 && isWrittenAsIs(segments.get(0))) {
            return segments.get(0);
        }
        StringBuilder path = new StringBuilder();
        for (String segment : segments) {
            if (path.length() > 0) {
                path.append('/');
            }
            if (isWrittenAsIs(segment)) {
                path.append(segment);
                continue;
            }
            boolean dots = isDots(segment);
            byte[] bytes = segment.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < bytes.length; i++) {
                char c = (char) (bytes[i] & 0xFF);
                if (!dots && isPlain(c) || c == '.' && isBetween(bytes, i)) {
                    path.append(c);
                } else {
                    path.append(escape).append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
                }
            }
        }
        return path.toString();
    }

    /** Reads only what {@link #encoded} writes: an election has one key. */
    private Optional<RecordKey> decoded(String space, String path) {
        List<String> segments = new ArrayList<>();
        try {
            for (String part : path.split("/", -1)) {
                segments.add(decoded(part));
            }
            RecordKey key = new RecordKey(space, segments);
            return encoded(key).equals(path) ? Optional.of(key) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private String decoded(String part) {
        byte[] bytes = new byte[part.length()];
        int length = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c == escape && i + 2 < part.length()) {
                bytes[length++] = (byte) Integer.parseInt(part.substring(i + 1, i + 3), 16);
                i += 2;
            } else if (isPlain(c) || c == '.' && separatesByDots) {
                bytes[length++] = (byte) c;
            } else {
                throw new IllegalArgumentException(String.format(Locale.ROOT, "U+%04X in a name", (int) c));
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private boolean isBetween(byte[] name, int at) {
        return separatesByDots && at > 0 && at + 1 < name.length && name[at - 1] != '.' && name[at + 1] != '.';
    }

    private boolean isPlain(char c) {
        return c < ASCII && keeps[c];
    }

    private boolean isWrittenAsIs(String segment) {
        for (int i = 0; i < segment.length(); i++) {
            if (!isPlain(segment.charAt(i))) {
                return false;
            }
        }
        return !isDots(segment);
    }

    private static boolean isDots(String segment) {
        return segment.equals(".") || segment.equals("..");
    }

    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    /** The template as it was given. */
    @Override
    public String toString() {
        return text;
    }
}
