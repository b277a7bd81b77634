package dev.mandate.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.mandate.json.InstanceJson.Content;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an instance says of itself, as text. */
class InstanceJsonTest {
    private static final Content EMPTY = new Content("", "", Map.of());
    private static final Content FULL = new Content(
            "UP", "10.0.0.7:8080", Map.of("zone", "a", "weight", "3", "odd", "\"\\\n\u0001\ud800é\u202e😀"));

    @Test
    void itIsReadableAndFieldsStandInOrder() {
        assertThat(InstanceJson.write(new Content("UP", "10.0.0.7:8080", Map.of("zone", "a", "rack", "12"))))
                .isEqualTo("{\"v\":1,\"status\":\"UP\",\"address\":\"10.0.0.7:8080\","
                        + "\"metadata\":{\"rack\":\"12\",\"zone\":\"a\"}}");
    }

    @Test
    void whatIsEmptyIsLeftOut() {
        assertThat(InstanceJson.write(new Content("DOWN", "", Map.of()))).isEqualTo("{\"v\":1,\"status\":\"DOWN\"}");
    }

    @Test
    void whatIsWrittenIsReadAsItWas() {
        assertThat(InstanceJson.read(InstanceJson.write(FULL))).isEqualTo(FULL);
        assertThat(InstanceJson.read(InstanceJson.write(EMPTY))).isEqualTo(EMPTY);
    }

    @Test
    void whatIsWrittenCanBeEncodedAndShown() {
        String text = InstanceJson.write(FULL);

        assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(text)).isTrue();
        assertThat(text).doesNotContain("\n", "\u0001", "\u202e");
    }

    @Test
    void laterVersionsAreReadAsFarAsTheyAreKnown() {
        String later = "{\"v\":7,\"status\":\"DRAINING\",\"address\":\"a:1\",\"zones\":[1,{\"x\":null}],"
                + "\"metadata\":{\"port\":8080,\"deep\":{\"b\":[]},\"s\":\"t\",\"\":\"x\"}}";

        assertThat(InstanceJson.read(later))
                .isEqualTo(new Content("DRAINING", "a:1", Map.of("port", "8080", "deep", "{\"b\":[]}", "s", "t")));
    }

    @Test
    void fieldsOfAnotherTypeCountForNothing() {
        assertThat(InstanceJson.read("{\"status\":1,\"address\":[\"a\"],\"metadata\":\"m\"}"))
                .isEqualTo(EMPTY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "10.0.0.7:8080",
                "null",
                "[]",
                "{",
                "{}}",
                "{\"status\":\"UP\"",
                "{\"status\":\"UP\",\"status\":\"UP\"}",
                "{\"status\":\"UP\",\"metadata\":{\"a\":\"1\",\"a\":\"2\"}}",
                "{\"status\":\"U\u0001P\"}",
                "{\"status\":\"\\uD8\"}",
                "{'status':'UP'}"
            })
    void whatIsNoSuchObjectSaysNothing(String text) {
        assertThat(InstanceJson.read(text)).isEqualTo(EMPTY);
    }

    @Test
    void whatIsTooLongOrTooDeepSaysNothing() {
        String deep = "{\"status\":\"UP\",\"metadata\":" + "[".repeat(40) + "]".repeat(40) + "}";
        String tooLong = "{\"status\":\"UP\",\"address\":\"" + "a".repeat(InstanceJson.CHARS_READ_MAX) + "\"}";

        assertThat(InstanceJson.read(deep)).isEqualTo(EMPTY);
        assertThat(InstanceJson.read(tooLong)).isEqualTo(EMPTY);
    }

    @Test
    void noTextMakesItThrow() {
        SplittableRandom random = new SplittableRandom(12);
        String good = InstanceJson.write(FULL);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder bad = new StringBuilder(good);
            for (int j = random.nextInt(4); j >= 0; j--) {
                int at = random.nextInt(bad.length());
                switch (random.nextInt(3)) {
                    case 0 -> bad.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 128 : 65_536));
                    case 1 -> bad.deleteCharAt(at);
                    default -> bad.insert(at, "{}[]\",:\\u0".charAt(random.nextInt(10)));
                }
            }
            assertThatNoException().as("%s", bad).isThrownBy(() -> InstanceJson.read(bad.toString()));
        }
    }

    @Test
    void theSizeIsThatOfTheLongestStatus() {
        for (String status : new String[] {"STARTING", "UP", "DOWN", "OUT_OF_SERVICE"}) {
            String text = InstanceJson.write(new Content(status, "é", Map.of("k", "v")));

            assertThat(text.getBytes(StandardCharsets.UTF_8).length)
                    .isLessThanOrEqualTo(InstanceJson.bytes("é", Map.of("k", "v")));
        }
        assertThat(InstanceJson.bytes("", Map.of())).isEqualTo("{\"v\":1,\"status\":\"OUT_OF_SERVICE\"}".length());
    }
}
