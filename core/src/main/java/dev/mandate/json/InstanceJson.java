package dev.mandate.json;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The text form of what an instance registers, which is the value of its record: one JSON object.
 *
 * <pre>{@code
 * {"v":1,"status":"UP","address":"10.0.0.7:8080","metadata":{"zone":"a"}}
 * }</pre>
 *
 * <ul>
 *   <li>{@code v} is the version of the format. Of a later version, the known fields are read.
 *   <li>{@code address} and {@code metadata} are left out while they are empty. A field of {@code metadata} that is not
 *       a string is read as its JSON.
 *   <li>Unknown fields are ignored: only its owner writes a registration.
 *   <li>Any string survives writing and reading. Control and invisible characters, quotation marks, backslashes and
 *       halves of surrogate pairs are escaped.
 * </ul>
 *
 * <p>Reading never throws. A text that is not such an object, repeats a field, or has more than {@value
 * #CHARS_READ_MAX} characters, yields no status, no address and no metadata. Thread-safe.
 */
public final class InstanceJson {
    /** The version of the format written here. */
    public static final int VERSION = 1;

    /** The longest text that is read, in characters; far longer than any that is written. */
    public static final int CHARS_READ_MAX = 16 * 1024;

    private static final String STATUS = "status";
    private static final String ADDRESS = "address";
    private static final String METADATA = "metadata";
    private static final String LONGEST_STATUS = "OUT_OF_SERVICE";
    private static final Content UNREADABLE = new Content("", "", Map.of());

    private InstanceJson() {}

    /**
     * The content of a text.
     *
     * @param status the word for the status; empty if there is none
     * @param address where to call the instance; empty if there is none
     * @param metadata by name
     */
    public record Content(String status, String address, Map<String, String> metadata) {
        public Content {
            Objects.requireNonNull(status, STATUS);
            Objects.requireNonNull(address, ADDRESS);
            metadata = Map.copyOf(metadata);
        }
    }

    /** Writes the text form; equal contents give equal texts. */
    public static String write(Content content) {
        JsonText json = new JsonText();
        json.raw("v", Integer.toString(VERSION));
        json.string(STATUS, content.status());
        if (!content.address().isEmpty()) {
            json.string(ADDRESS, content.address());
        }
        if (!content.metadata().isEmpty()) {
            JsonText fields = new JsonText();
            new TreeMap<>(content.metadata()).forEach(fields::string);
            json.raw(METADATA, fields.end());
        }
        return json.end();
    }

    /** The most bytes of UTF-8 that such a text takes, whatever the status. */
    public static int bytes(String address, Map<String, String> metadata) {
        return write(new Content(LONGEST_STATUS, address, metadata)).getBytes(StandardCharsets.UTF_8).length;
    }

    /** Reads what can be read of {@code text}; never throws. */
    public static Content read(String text) {
        if (text.length() > CHARS_READ_MAX) {
            return UNREADABLE;
        }
        try {
            Fields fields = new Fields();
            new JsonReader(text).object(fields::take);
            return new Content(fields.status, fields.address, fields.metadata);
        } catch (IllegalArgumentException e) {
            return UNREADABLE;
        }
    }

    private static final class Fields {
        private String status = "";
        private String address = "";
        private final Map<String, String> metadata = new TreeMap<>();

        void take(String name, JsonReader.Value value) {
            switch (name) {
                case STATUS -> status = text(value.content());
                case ADDRESS -> address = text(value.content());
                case METADATA -> takeMetadata(value);
                default -> {}
            }
        }

        private static String text(@Nullable String content) {
            return content == null ? "" : content;
        }

        private void takeMetadata(JsonReader.Value all) {
            if (all.raw().startsWith("{")) {
                new JsonReader(all.raw()).object((name, value) -> {
                    String content = value.content();
                    if (!name.isEmpty()) {
                        metadata.put(name, content == null ? value.raw() : content);
                    }
                });
            }
        }
    }
}
