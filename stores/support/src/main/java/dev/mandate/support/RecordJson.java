package dev.mandate.support;

import dev.mandate.json.JsonReader;
import dev.mandate.json.JsonText;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a {@link LeaderRecord}: one JSON object, for stores that keep text and for people who read them.
 *
 * <pre>{@code
 * {"v":1,"candidate":"a","incarnation":"…32 digits…","attempt":"…32 digits…","value":"10.0.0.7:8080",
 *  "leaseMillis":10000,"term":1767225600000,"leave":true,"since":"2026-01-01T00:00:00Z"}
 * }</pre>
 *
 * <ul>
 * <li>{@code v} is the version of the format. Known fields of a later version are read, and an update keeps its number.
 * <li>{@code leaseMillis} has decimals, down to nanoseconds, if the lease is no whole number of milliseconds.
 * <li>{@code term} is left out while it is 0, {@code leave} while it is false; {@code since} may be missing when read.
 * <li>Unknown fields are kept as raw JSON, in {@link LeaderRecord#unknown()}.
 * <li>Any string survives unchanged. Control characters, invisible format characters and halves of surrogate pairs are
 * written as escapes: safe to show, and always encodable as UTF-8. (Unknown fields are not rewritten.)
 * </ul>
 *
 * <p>The reader is strict: it refuses what is not JSON by RFC 8259, duplicate fields, more than {@value #CHARS_MAX}
 * characters and more than {@value #DEPTH_MAX} levels. It is meant for untrusted text: its messages quote no content
 * but single characters. Thread-safe.
 */
public final class RecordJson {
    /** The version of the format written here. */
    public static final int VERSION = 1;

    /** The longest text that is read or written, in characters. */
    public static final int CHARS_MAX = JsonReader.CHARS_MAX;

    /** How deep objects and arrays may be nested. */
    public static final int DEPTH_MAX = JsonReader.DEPTH_MAX;

    private static final String V = "v";
    private static final String TERM = "term";
    private static final Set<String> KNOWN =
            Set.of("candidate", "incarnation", "attempt", "value", "leaseMillis", TERM, "leave", "since");
    private static final int NANOS_PER_MILLI = 1_000_000;
    /** This many digits of milliseconds never overflow. */
    private static final long WHOLE_MILLIS_MAX = 999_999_999_999_999L;

    private static final Pattern WHOLE_MILLIS = Pattern.compile("[0-9]{1,15}");
    // Plain digits only: an exponent could ask for gigabytes of zeros.
    private static final Pattern MILLIS = Pattern.compile("[0-9]{1,19}([.][0-9]{1,6})?");
    private static final Pattern LATER_VERSION = Pattern.compile("[1-9][0-9]{0,8}");
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,18}");
    private static final Pattern HEX_ID = Pattern.compile("[0-9a-fA-F]{32}");

    private RecordJson() {}

    /**
     * Writes a record; equal records give equal texts.
     *
     * @throws IllegalArgumentException if the text would be longer than {@link #CHARS_MAX}, or an unknown field is not
     *     JSON or has the name of a known one
     */
    public static String write(LeaderRecord record) {
        Map<String, String> unknown = new TreeMap<>(record.unknown());
        String version = unknown.remove(V);
        JsonText json = new JsonText();
        json.raw(V, version == null ? Integer.toString(VERSION) : Long.toString(laterVersion(version)));
        json.string("candidate", record.candidate());
        json.string("incarnation", record.incarnation().toString());
        json.string("attempt", record.attempt().toString());
        json.string("value", record.value());
        json.raw("leaseMillis", millis(record.lease()));
        if (record.term() != 0) {
            json.raw(TERM, Long.toString(record.term()));
        }
        if (record.leave()) {
            json.raw("leave", "true");
        }
        json.string("since", Instant.ofEpochMilli(record.sinceMillis()).toString());
        unknown.forEach((name, raw) -> {
            if (KNOWN.contains(name)) {
                throw new IllegalArgumentException("unknown field '" + name + "' of the record is a known one");
            }
            json.raw(name, JsonReader.checked(raw, name));
        });
        String text = json.end();
        if (text.length() > CHARS_MAX) {
            throw new IllegalArgumentException(
                    "the record has " + text.length() + " characters as JSON; the limit is " + CHARS_MAX);
        }
        return text;
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException if {@code text} is no leader record; says what was expected where
     */
    public static LeaderRecord read(String text) {
        Fields fields = new Fields();
        JsonReader reader = new JsonReader(text);
        reader.object((name, value) -> fields.take(name, value));
        return fields.record();
    }

    /** The record in a text that may be another program's; empty if {@code text} is no leader record. */
    public static Optional<LeaderRecord> find(String text) {
        try {
            return Optional.of(read(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String millis(Duration lease) {
        if (lease.getNano() % NANOS_PER_MILLI == 0 && lease.getSeconds() < WHOLE_MILLIS_MAX / 1_000) {
            return Long.toString(lease.toMillis());
        }
        BigDecimal nanos =
                BigDecimal.valueOf(lease.getSeconds()).movePointRight(9).add(BigDecimal.valueOf(lease.getNano()));
        BigDecimal millis = nanos.divide(BigDecimal.valueOf(NANOS_PER_MILLI)).stripTrailingZeros();
        return millis.toPlainString();
    }

    private static Duration lease(String millis) {
        if (WHOLE_MILLIS.matcher(millis).matches()) {
            return Duration.ofMillis(Long.parseLong(millis));
        }
        try {
            if (MILLIS.matcher(millis).matches()) {
                BigDecimal[] parts =
                        new BigDecimal(millis).movePointRight(6).divideAndRemainder(BigDecimal.valueOf(1_000_000_000L));
                return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(of("leaseMillis") + " is too long", e);
        }
        throw new IllegalArgumentException(of("leaseMillis") + " must be a number with at most 6 decimals");
    }

    private static long laterVersion(String raw) {
        if (!LATER_VERSION.matcher(raw).matches()) {
            throw new IllegalArgumentException(of(V) + " must be a whole number of 1 to 9 digits");
        }
        return Long.parseLong(raw);
    }

    private static String of(String field) {
        return "'" + field + "' of the record";
    }

    /** What was found so far. */
    private static final class Fields {
        private final Map<String, String> texts = new TreeMap<>();
        private final Map<String, String> unknown = new TreeMap<>();
        private long term;
        private boolean leave;
        private boolean hasVersion;
        private @Nullable Duration lease;

        void take(String name, JsonReader.Value value) {
            switch (name) {
                case V -> {
                    hasVersion = true;
                    if (laterVersion(value.raw()) != VERSION) {
                        unknown.put(V, value.raw());
                    }
                }
                case "candidate", "incarnation", "attempt", "value", "since" -> texts.put(name, value.string(of(name)));
                case "leaseMillis" -> lease = lease(value.raw());
                case TERM -> term = term(value.raw());
                case "leave" -> leave = flag(value.raw());
                default -> unknown.put(name, value.raw());
            }
        }

        private static long term(String raw) {
            if (!WHOLE.matcher(raw).matches() || raw.length() == 19 && raw.compareTo("" + Long.MAX_VALUE) > 0) {
                throw new IllegalArgumentException(of(TERM) + " must be a whole number from 0 to " + Long.MAX_VALUE);
            }
            return Long.parseLong(raw);
        }

        private static boolean flag(String raw) {
            if (!raw.equals("true") && !raw.equals("false")) {
                throw new IllegalArgumentException(of("leave") + " must be true or false");
            }
            return raw.equals("true");
        }

        LeaderRecord record() {
            if (!hasVersion) {
                throw missing(V);
            }
            if (lease == null) {
                throw missing("leaseMillis");
            }
            return new LeaderRecord(
                    text("candidate"),
                    id("incarnation"),
                    id("attempt"),
                    text("value"),
                    lease,
                    term,
                    leave,
                    sinceMillis(),
                    unknown);
        }

        private String text(String name) {
            String text = texts.get(name);
            if (text == null) {
                throw missing(name);
            }
            return text;
        }

        private Id id(String name) {
            String text = text(name);
            if (!HEX_ID.matcher(text).matches()) {
                throw new IllegalArgumentException(of(name) + " must be 32 hexadecimal digits");
            }
            return Id.parse(text);
        }

        private long sinceMillis() {
            String since = texts.get("since");
            try {
                return since == null ? 0 : Instant.parse(since).toEpochMilli();
            } catch (DateTimeParseException | ArithmeticException e) {
                throw new IllegalArgumentException(of("since") + " must be a time like 2026-01-01T00:00:00Z", e);
            }
        }

        private static IllegalArgumentException missing(String name) {
            return new IllegalArgumentException(of(name) + " is missing");
        }
    }
}
