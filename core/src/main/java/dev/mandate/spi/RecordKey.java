package dev.mandate.spi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The key of a record: a space, which keeps elections and registrations apart, and one or more segments.
 *
 * <p>{@link #path()} is a reversible text form for stores that need one: two keys never share a path, and no path is a
 * prefix of another one's segment.
 *
 * @param space a short lower-case word
 * @param segments names as the user gave them, each accepted by {@link #requireName}; empty only in a
 *     prefix for listing
 */
public record RecordKey(String space, List<String> segments) {
    // Declared before the keys below, which use it.
    private static final Pattern SPACE = Pattern.compile("[a-z]{1,32}");

    /** The space of elections. */
    public static final String ELECTIONS = "election";

    /** The space of service registrations. */
    public static final String REGISTRATIONS = "registration";

    /** The space of places in queues, where candidates wait for an election by order of arrival. */
    public static final String QUEUES = "queue";

    /** A key to read to see whether a store answers; not a real election. */
    public static final RecordKey PROBE = election("mandate-startup");

    /** The longest name, in bytes of UTF-8. */
    public static final int NAME_BYTES_MAX = 512;

    private static final String HEX = "0123456789ABCDEF";

    public RecordKey {
        if (!SPACE.matcher(space).matches()) {
            throw new IllegalArgumentException("space of a key is '" + space + "', must be 1 to 32 letters a-z");
        }
        segments = List.copyOf(segments);
        segments.forEach(segment -> requireName("name", segment));
    }

    /** The key of an election. */
    public static RecordKey election(String name) {
        return new RecordKey(ELECTIONS, List.of(name));
    }

    /** The prefix of all elections. */
    public static RecordKey elections() {
        return new RecordKey(ELECTIONS, List.of());
    }

    /** The prefix of the places in the queue of an election. */
    public static RecordKey queue(String election) {
        return new RecordKey(QUEUES, List.of(election));
    }

    /** The key of the place of that client in the queue of an election. */
    public static RecordKey place(String election, Id incarnation) {
        return new RecordKey(QUEUES, List.of(election, incarnation.toString()));
    }

    /** The key of an instance of a service. */
    public static RecordKey registration(String service, String id) {
        requireName("service", service);
        requireName("id", id);
        return new RecordKey(REGISTRATIONS, List.of(service, id));
    }

    /** The prefix of all instances of a service. */
    public static RecordKey registrations(String service) {
        requireName("service", service);
        return new RecordKey(REGISTRATIONS, List.of(service));
    }

    /** The prefix of all registrations. */
    public static RecordKey registrations() {
        return new RecordKey(REGISTRATIONS, List.of());
    }

    /** The last segment; empty for a prefix without segments. */
    public String name() {
        return segments.isEmpty() ? "" : segments.get(segments.size() - 1);
    }

    /** Whether this key is {@code prefix} or lies below it, segment by segment. */
    public boolean isBelow(RecordKey prefix) {
        return space.equals(prefix.space)
                && segments.size() >= prefix.segments.size()
                && segments.subList(0, prefix.segments.size()).equals(prefix.segments);
    }

    /**
     * The reversible text form: {@code space/segment/segment}, with every byte of UTF-8 percent-encoded except letters,
     * digits and {@code - . _ ~ @ : +}. The segments {@code .} and {@code ..} are encoded whole.
     */
    public String path() {
        StringBuilder path = new StringBuilder(space);
        for (String segment : segments) {
            path.append('/');
            encode(segment, path);
        }
        return path.toString();
    }

    /**
     * Reads the text form that {@link #path()} wrote.
     *
     * @throws IllegalArgumentException if {@code path} is not the one text form of a key
     */
    public static RecordKey parse(String path) {
        String[] parts = path.split("/", -1);
        List<String> segments = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            segments.add(decode(parts[i], path));
        }
        RecordKey key = new RecordKey(parts[0], segments);
        if (!key.path().equals(path)) {
            throw new IllegalArgumentException("'" + path + "' is not the path of a key; it would be " + key.path());
        }
        return key;
    }

    /**
     * Checks a name given by a user: 1 to {@value #NAME_BYTES_MAX} bytes of UTF-8, no control characters,
     * no lone surrogates.
     *
     * @param what how messages call the name
     * @return {@code name}
     * @throws IllegalArgumentException that names {@code what}, what is wrong and the bound
     */
    public static String requireName(String what, String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty; give 1 to " + NAME_BYTES_MAX + " bytes");
        }
        if (name.length() > NAME_BYTES_MAX || name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
            throw new IllegalArgumentException(
                    what + " has " + name.length() + " characters; the limit is " + NAME_BYTES_MAX + " bytes of UTF-8");
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c)) {
                throw new IllegalArgumentException(what + " has a control character, "
                        + String.format(Locale.ROOT, "U+%04X", (int) c) + ", at position " + i + "; leave it out");
            }
            if (Character.isHighSurrogate(c) && i + 1 < name.length() && Character.isLowSurrogate(name.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(what + " has half a surrogate pair, "
                        + String.format(Locale.ROOT, "U+%04X", (int) c) + ", at position " + i
                        + "; it cannot be written as UTF-8");
            }
        }
        return name;
    }

    private static void encode(String segment, StringBuilder path) {
        boolean dots = segment.equals(".") || segment.equals("..");
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if (!dots && isPlain(c)) {
                path.append(c);
            } else {
                path.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
            }
        }
    }

    private static boolean isPlain(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~@:+".indexOf(c) >= 0;
    }

    private static String decode(String part, String path) {
        byte[] bytes = new byte[part.length()];
        int length = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c == '%' && i + 2 < part.length() && hex(part, i + 1) >= 0) {
                bytes[length++] = (byte) hex(part, i + 1);
                i += 2;
            } else if (c == '%' || !isPlain(c)) {
                throw new IllegalArgumentException("'" + path + "' is not the path of a key: '" + part + "'");
            } else {
                bytes[length++] = (byte) c;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private static int hex(String text, int at) {
        int high = HEX.indexOf(text.charAt(at));
        int low = HEX.indexOf(text.charAt(at + 1));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    /** Leaves out the space: keys looked up together seldom differ in it, and every event looks up keys. */
    @Override
    public int hashCode() {
        return segments.hashCode();
    }

    /** The {@link #path()}. */
    @Override
    public String toString() {
        return path();
    }
}
