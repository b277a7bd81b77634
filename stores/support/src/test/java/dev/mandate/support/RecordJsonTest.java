package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.mandate.json.JsonReader;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader and the writer against another JSON library, and against texts that are none. */
class RecordJsonTest {
    private static final JsonFactory JACKSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final LeaderRecord SIMPLE = LeaderRecord.proposal(
            "a", new Id(1, 2), new Id(3, 4), "10.0.0.7:8080", Duration.ofSeconds(10), 1_767_225_600_123L);
    private static final String SIMPLE_TEXT =
            "{\"v\":1,\"candidate\":\"a\",\"incarnation\":\"00000000000000010000000000000002\","
                    + "\"attempt\":\"00000000000000030000000000000004\",\"value\":\"10.0.0.7:8080\",\"leaseMillis\":10000,"
                    + "\"since\":\"2026-01-01T00:00:00.123Z\"}";

    @Test
    void theTextIsWhatTheDocumentationShows() {
        LeaderRecord led = SIMPLE.withTerm(42).askedToLeave();

        assertThat(RecordJson.write(SIMPLE)).isEqualTo(SIMPLE_TEXT);
        assertThat(RecordJson.write(led))
                .isEqualTo(SIMPLE_TEXT.replace("\"since\"", "\"term\":42,\"leave\":true,\"since\""));
    }

    @Test
    void anotherLibraryReadsWhatWasWritten() throws IOException {
        Random random = seeded();
        for (int i = 0; i < 3_000; i++) {
            LeaderRecord record = randomRecord(random);

            String text = RecordJson.write(record);

            assertThat(viaJackson(text)).isEqualTo(record);
            assertThat(RecordJson.read(text)).isEqualTo(record);
            assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(text);
            assertThat(text.chars().noneMatch(Character::isISOControl)
                            || !record.unknown().isEmpty())
                    .as(text)
                    .isTrue();
        }
    }

    @Test
    void readsWhatAnotherLibraryWrote() throws IOException {
        Random random = seeded();
        for (int i = 0; i < 3_000; i++) {
            LeaderRecord record = randomRecord(random);

            assertThat(RecordJson.read(byJackson(record, random))).isEqualTo(record);
        }
    }

    /** Damaged texts: whatever is accepted here, the other library accepts, too, and reads the same from it. */
    @Test
    void acceptsNoDamagedTextThatAnotherLibraryRefuses() throws IOException {
        Random random = seeded();
        int accepted = 0;
        for (int i = 0; i < 30_000; i++) {
            String text = damaged(RecordJson.write(randomRecord(random)), random);
            LeaderRecord read;
            try {
                read = RecordJson.read(text);
            } catch (IllegalArgumentException e) {
                continue;
            }
            if (!read.unknown().keySet().stream()
                    .allMatch(name -> storable(name).equals(name))) {
                continue; // the other library refuses halves of surrogate pairs in names
            }
            accepted++;
            assertThat(viaJackson(text)).as(text).isEqualTo(read);
        }
        assertThat(accepted).isGreaterThan(1_000);
    }

    /** The same for bare values, both ways: the two agree about what JSON is. */
    @Test
    void agreesWithAnotherLibraryAboutWhatJsonIs() {
        Random random = seeded();
        int refused = 0;
        for (int i = 0; i < 30_000; i++) {
            String text = damaged(randomJson(random, 4), random);
            boolean here = isAcceptedHere(text);
            // A raw half of a surrogate pair is refused here on purpose: it cannot be stored as UTF-8. The other
            // library
            // takes some letters for hexadecimal digits.
            if (storable(text).equals(text) && !text.matches("(?s).*u\\p{ASCII}{0,3}\\P{ASCII}.*")) {
                assertThat(here).as(text).isEqualTo(isAcceptedByJackson(text));
            }
            refused += here ? 0 : 1;
        }
        assertThat(refused).isBetween(1_000, 29_000);
    }

    @Test
    void aLaterVersionIsReadAsFarAsKnownAndKeptByAnUpdate() {
        String later = SIMPLE_TEXT.replace("\"v\":1", "\"v\":2").replace("}", ",\"zone\": {\"a\" : [1, null]}}");

        LeaderRecord read = RecordJson.read(later);
        String updated = RecordJson.write(read.withTerm(7).askedToLeave());

        assertThat(read.candidate()).isEqualTo("a");
        assertThat(read.unknown()).containsEntry("zone", "{\"a\" : [1, null]}");
        assertThat(updated)
                .startsWith("{\"v\":2,")
                .contains("\"zone\":{\"a\" : [1, null]}")
                .contains("\"term\":7,\"leave\":true");
    }

    @Test
    void sinceMayBeMissing() {
        assertThat(RecordJson.read(SIMPLE_TEXT.replace(",\"since\":\"2026-01-01T00:00:00.123Z\"", ""))
                        .sinceMillis())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "{",
                "{}",
                "{\"v\":1}",
                "{\"v\":1,}",
                "{\"v\":01}",
                "{\"v\":1 \"a\":2}",
                "{'v':1}",
                "{\"v\":1}{}",
                "{\"v\":\"\u0001\"}",
                "{\"v\":\"\\u12\"}",
                "{\"v\":\"\\x\"}",
                "{\"v\":nul}",
                "{\"v\":1e}",
                "{\"v\":-}",
                "{\"v\":1.}",
                "\ufeff{\"v\":1}"
            })
    void whatIsNoRecordIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordJson.read(text))
                .withMessageContaining("the record");
    }

    @Test
    void aWrongFieldIsNamed() {
        refused("\"v\":1", "\"v\":0", "'v' of the record must be a whole number");
        refused("\"v\":1", "\"v\":\"1\"", "'v' of the record must be a whole number");
        refused("\"v\":1", "\"w\":1", "'v' of the record is missing");
        refused("\"candidate\":\"a\"", "\"candidate\":1", "'candidate' of the record must be a string");
        refused("\"candidate\"", "\"candidat\"", "'candidate' of the record is missing");
        refused("0000000000000002\"", "000000000000000g\"", "'incarnation' of the record must be 32 hexadecimal");
        refused(":10000", ":1e4", "'leaseMillis' of the record must be a number with at most 6 decimals");
        refused(":10000", ":-1", "'leaseMillis' of the record must be a number");
        refused(":10000", ":0", "the record's lease is PT0S; it must be more than 0");
        refused("10000,", "10000,\"term\":9223372036854775808,", "'term' of the record must be a whole number");
        refused("10000,", "10000,\"term\":1.0,", "'term' of the record must be a whole number");
        refused("10000,", "10000,\"leave\":1,", "'leave' of the record must be true or false");
        refused("2026-01-01", "2026-13-01", "'since' of the record must be a time like");
        refused("\"value\"", "\"candidate\"", "has a field twice, at position");
    }

    @Test
    void depthAndSizeAreBounded() {
        String deep = "[".repeat(RecordJson.DEPTH_MAX - 1) + "]".repeat(RecordJson.DEPTH_MAX - 1);
        String long1 = "x".repeat(RecordJson.CHARS_MAX);

        assertThat(RecordJson.read(with("deep", deep)).unknown()).containsEntry("deep", deep);
        refused("10000,", "10000,\"deep\":[" + deep + "],", "nested deeper than 32 levels");
        refused("10.0.0.7", long1, "the limit is 1048576");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordJson.write(SIMPLE.withValue(long1)))
                .withMessageContaining("the limit is 1048576");
    }

    @Test
    void unknownFieldsThatAreNoJsonAreNotWritten() {
        for (String raw : List.of("", "1 2", "}", "\"", "{\"a\":1,\"a\":1}", "tru")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RecordJson.write(withUnknown(Map.of("x", raw))))
                    .withMessageContaining("unknown field 'x'");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordJson.write(withUnknown(Map.of("term", "1"))))
                .withMessageContaining("unknown field 'term'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordJson.write(withUnknown(Map.of("v", "1,\"term\":1"))))
                .withMessageContaining("'v'");
    }

    private static void refused(String target, String replacement, String message) {
        assertThat(SIMPLE_TEXT).contains(target);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordJson.read(SIMPLE_TEXT.replace(target, replacement)))
                .withMessageContaining(message);
    }

    private static String with(String name, String raw) {
        return SIMPLE_TEXT.replace("{\"v\":1", "{\"v\":1,\"" + name + "\":" + raw);
    }

    private static LeaderRecord withUnknown(Map<String, String> unknown) {
        return new LeaderRecord("a", Id.NONE, Id.NONE, "", Duration.ofMillis(1), 0, false, 0, unknown);
    }

    private static Random seeded() {
        long seed = Long.getLong("mandate.seed", System.nanoTime());
        System.out.println("RecordJsonTest: replay with -Dmandate.seed=" + seed);
        return new Random(seed);
    }

    private static LeaderRecord randomRecord(Random random) {
        Map<String, String> unknown = new HashMap<>();
        for (int i = random.nextInt(8); i > 5; i--) {
            unknown.put("x" + storable(randomText(random)), randomJson(random, 3));
        }
        if (random.nextInt(10) == 0) {
            unknown.put("v", Integer.toString(2 + random.nextInt(999_999_998)));
        }
        return new LeaderRecord(
                randomText(random),
                new Id(random.nextLong(), random.nextLong()),
                new Id(random.nextLong(), random.nextLong()),
                randomText(random),
                randomLease(random),
                random.nextBoolean() ? 0 : random.nextLong() & Long.MAX_VALUE,
                random.nextBoolean(),
                random.nextInt(20) == 0 ? random.nextLong() : 1_767_225_600_000L + random.nextInt(1_000_000),
                unknown);
    }

    private static Duration randomLease(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofSeconds(1 + random.nextInt(100));
            case 1 -> Duration.ofMillis(1 + random.nextInt(1_000_000));
            case 2 -> Duration.ofNanos(1 + random.nextInt(1_000_000));
            default -> Duration.ofSeconds(1 + (random.nextLong() & 0xFFFF_FFFF_FFFFL), random.nextInt(1_000_000_000));
        };
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            switch (random.nextInt(7)) {
                case 0 -> text.append((char) random.nextInt(0x20));
                case 1 -> text.append((char) (0xD800 + random.nextInt(0x800)));
                case 2 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
                case 3 -> text.append((char) random.nextInt(0x10000));
                case 4 -> text.append("\"\\/\u007f\u0085\u202e\u2028\ufeff\uffff".charAt(random.nextInt(9)));
                default -> text.append((char) (' ' + random.nextInt(95)));
            }
        }
        return text.toString();
    }

    private static String randomJson(Random random, int depth) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JACKSON.createGenerator(text)) {
            randomValue(json, random, depth);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return text.toString();
    }

    private static void randomValue(JsonGenerator json, Random random, int depth) throws IOException {
        switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> json.writeNumber(random.nextLong());
            case 1 -> json.writeNumber(random.nextGaussian() * 1e20);
            case 2 -> json.writeBoolean(random.nextBoolean());
            case 3 -> json.writeNull();
            case 4 -> json.writeString(storable(randomText(random)));
            case 5 -> {
                json.writeStartArray();
                for (int i = random.nextInt(4); i > 0; i--) {
                    randomValue(json, random, depth - 1);
                }
                json.writeEndArray();
            }
            default -> {
                json.writeStartObject();
                for (int i = random.nextInt(4); i > 0; i--) {
                    json.writeFieldName(i + storable(randomText(random)));
                    randomValue(json, random, depth - 1);
                }
                json.writeEndObject();
            }
        }
    }

    /** The other library writes halves of surrogate pairs raw. */
    private static String storable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static String damaged(String text, Random random) {
        StringBuilder damaged = new StringBuilder(text);
        for (int i = random.nextInt(3); i >= 0 && damaged.length() > 0; i--) {
            int at = random.nextInt(damaged.length());
            switch (random.nextInt(4)) {
                case 0 -> damaged.deleteCharAt(at);
                case 1 -> damaged.insert(at, randomText(random));
                case 2 -> damaged.setCharAt(at, "{}[]\":,\\ -+.eE0159tfnu\n\t".charAt(random.nextInt(24)));
                default -> damaged.insert(at, " \t\n\r".charAt(random.nextInt(4)));
            }
        }
        return damaged.toString();
    }

    private static boolean isAcceptedHere(String json) {
        try {
            JsonReader.checked(json, "x");
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isAcceptedByJackson(String json) {
        try (JsonParser parser = JACKSON.createParser(json)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            parser.getText();
            return parser.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    private static String byJackson(LeaderRecord record, Random random) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JACKSON.createGenerator(text)) {
            if (random.nextBoolean()) {
                json.useDefaultPrettyPrinter();
            }
            if (random.nextBoolean()) {
                json.setHighestNonEscapedChar(127);
            }
            json.writeStartObject();
            List<Field> fields = fieldsOf(record);
            Collections.shuffle(fields, random);
            for (Field field : fields) {
                field.writeTo(json);
            }
            json.writeEndObject();
        }
        return escapeHalves(text.toString());
    }

    private interface Field {
        void writeTo(JsonGenerator json) throws IOException;
    }

    private static List<Field> fieldsOf(LeaderRecord record) {
        List<Field> fields = new ArrayList<>();
        if (!record.unknown().containsKey("v")) {
            fields.add(json -> json.writeNumberField("v", 1));
        }
        fields.add(json -> json.writeStringField("candidate", record.candidate()));
        fields.add(json ->
                json.writeStringField("incarnation", record.incarnation().toString()));
        fields.add(json -> json.writeStringField("attempt", record.attempt().toString()));
        fields.add(json -> json.writeStringField("value", record.value()));
        fields.add(json -> json.writeNumberField(
                "leaseMillis",
                new BigDecimal(record.lease().getSeconds())
                        .movePointRight(3)
                        .add(new BigDecimal(record.lease().getNano()).movePointLeft(6))));
        fields.add(json -> json.writeNumberField("term", record.term()));
        fields.add(json -> json.writeBooleanField("leave", record.leave()));
        fields.add(json -> json.writeStringField(
                "since", Instant.ofEpochMilli(record.sinceMillis()).toString()));
        record.unknown()
                .forEach((name, raw) -> fields.add(json -> {
                    json.writeFieldName(name);
                    json.writeRawValue(raw);
                }));
        return fields;
    }

    private static String escapeHalves(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c >= 0xD800 && c < 0xE000) {
                escaped.append(String.format("\\u%04X", c));
            } else {
                escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }

    private static LeaderRecord viaJackson(String text) throws IOException {
        Map<String, String> texts = new HashMap<>();
        Map<String, String> unknown = new HashMap<>();
        Duration lease = Duration.ZERO;
        long term = 0;
        boolean leave = false;
        long since = 0;
        try (JsonParser parser = JACKSON.createParser(text)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                int from = (int) parser.currentTokenLocation().getCharOffset();
                switch (name) {
                    case "v" -> {
                        if (parser.getIntValue() != 1) {
                            unknown.put("v", parser.getText());
                        }
                    }
                    case "leaseMillis" ->
                        lease = Duration.ofSeconds(
                                parser.getDecimalValue().movePointLeft(3).longValue(),
                                parser.getDecimalValue()
                                        .movePointRight(6)
                                        .remainder(new BigDecimal(1_000_000_000))
                                        .longValueExact());
                    case "term" -> term = parser.getLongValue();
                    case "leave" -> leave = parser.getBooleanValue();
                    case "since" -> since = Instant.parse(parser.getText()).toEpochMilli();
                    case "candidate", "incarnation", "attempt", "value" -> texts.put(name, parser.getText());
                    default -> {
                        parser.skipChildren();
                        parser.getText();
                        int to = (int) parser.currentLocation().getCharOffset();
                        unknown.put(
                                name,
                                token.isScalarValue() ? text.substring(from, to).strip() : text.substring(from, to));
                    }
                }
            }
            assertThat(parser.nextToken()).isNull();
        }
        return new LeaderRecord(
                texts.get("candidate"),
                Id.parse(texts.get("incarnation")),
                Id.parse(texts.get("attempt")),
                texts.get("value"),
                lease,
                term,
                leave,
                since,
                unknown);
    }
}
