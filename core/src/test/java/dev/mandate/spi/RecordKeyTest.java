package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys and their reversible text form. */
class RecordKeyTest {
    private static final String[] ODD = {
        ".",
        "..",
        "...",
        "/",
        "//",
        "%",
        "%2F",
        "%2f",
        "%25",
        "a/b",
        "a%2Fb",
        "a",
        "A",
        "*",
        ">",
        " ",
        "  ",
        "a b",
        "a.b",
        "~",
        "-",
        "_",
        "@",
        ":",
        "+",
        "é",
        "e\u0301",
        "\u202Eabc",
        "\u200B",
        "😀",
        "\uD83D\uDE00\uD83D\uDE00",
        "ß",
        "SS",
        "İ",
        "i̇",
        "\\",
        "\"",
        "'",
        "?",
        "#",
        "&",
        "=",
        "election",
        "registration",
        "日本語",
        "\uFEFFa",
        "\uFFFD",
        "\uFFFF"
    };

    @Test
    void oddNamesComeBackAndNeverCollide() {
        Map<String, RecordKey> paths = new HashMap<>();
        for (String name : ODD) {
            RecordKey key = RecordKey.election(name);

            assertThat(RecordKey.parse(key.path())).isEqualTo(key);
            assertThat(key.name()).isEqualTo(name);
            assertThat(paths.put(key.path(), key))
                    .as("another name with the path %s", key)
                    .isNull();
        }
    }

    /** Random names and random depths: reversible, no collisions, and nothing but harmless characters. */
    @Test
    void randomNamesComeBackAndNeverCollide() {
        Random random = new Random(7);
        Map<String, RecordKey> paths = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            List<String> segments = new ArrayList<>();
            for (int depth = random.nextInt(4); depth > 0; depth--) {
                segments.add(randomName(random));
            }
            RecordKey key = new RecordKey(random.nextBoolean() ? "election" : "registration", segments);

            String path = key.path();

            assertThat(RecordKey.parse(path)).isEqualTo(key);
            assertThat(path)
                    .matches("[A-Za-z0-9._~@:+%/-]+")
                    .doesNotContain("//")
                    .doesNotContain("/./")
                    .doesNotContain("/../");
            RecordKey other = paths.put(path, key);
            assertThat(other == null || other.equals(key)).as(path).isTrue();
        }
    }

    private static String randomName(Random random) {
        StringBuilder name = new StringBuilder();
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            switch (random.nextInt(4)) {
                case 0 -> name.append(ODD[random.nextInt(ODD.length)]);
                case 1 -> name.append((char) (' ' + random.nextInt(95)));
                case 2 -> name.append("./%".charAt(random.nextInt(3)));
                default -> {
                    int c = random.nextInt(0x10FFFF + 1);
                    if (!Character.isISOControl(c) && (c < 0xD800 || c > 0xDFFF)) {
                        name.appendCodePoint(c);
                    }
                }
            }
        }
        return name.length() == 0 ? "x" : name.toString();
    }

    @Test
    void thePathIsWhatTheDocumentationSays() {
        assertThat(RecordKey.election("a-b.c_d~e@f:g+h").path()).isEqualTo("election/a-b.c_d~e@f:g+h");
        assertThat(RecordKey.election("a/b c%").path()).isEqualTo("election/a%2Fb%20c%25");
        assertThat(RecordKey.election("ü").path()).isEqualTo("election/%C3%BC");
        assertThat(RecordKey.election(".").path()).isEqualTo("election/%2E");
        assertThat(RecordKey.election("..").path()).isEqualTo("election/%2E%2E");
        assertThat(RecordKey.election("...").path()).isEqualTo("election/...");
        assertThat(RecordKey.elections().path()).isEqualTo("election");
        assertThat(new RecordKey("registration", List.of("web", "10.0.0.1:80")))
                .hasToString("registration/web/10.0.0.1:80");
        assertThat(RecordKey.elections().name()).isEmpty();
        assertThat(new RecordKey("registration", List.of("web", "one")).name()).isEqualTo("one");
    }

    /** There is one path for a key, and every other is refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "election/",
                "election//a",
                "Election/a",
                "election/a b",
                "election/%2f",
                "election/%41",
                "election/%",
                "election/%4",
                "election/%G0",
                "election/%0G",
                "election/%FF",
                "election/%ED%A0%80",
                "election/.",
                "election/..",
                "election/%00",
                "election/ü",
                "elections-of-all-kinds-and-more-than-32/a"
            })
    void anotherPathIsRefused(String path) {
        assertThatIllegalArgumentException().isThrownBy(() -> RecordKey.parse(path));
    }

    @Test
    void aKeyIsBelowItsPrefixSegmentBySegment() {
        RecordKey key = new RecordKey("registration", List.of("web", "one"));

        assertThat(key.isBelow(key)).isTrue();
        assertThat(key.isBelow(new RecordKey("registration", List.of("web")))).isTrue();
        assertThat(key.isBelow(new RecordKey("registration", List.of()))).isTrue();
        assertThat(key.isBelow(new RecordKey("registration", List.of("we")))).isFalse();
        assertThat(key.isBelow(new RecordKey("registration", List.of("web", "on"))))
                .isFalse();
        assertThat(key.isBelow(new RecordKey("registration", List.of("web", "one", "more"))))
                .isFalse();
        assertThat(key.isBelow(RecordKey.elections())).isFalse();
    }

    @Test
    void aNameHasABoundInBytes() {
        assertThat(RecordKey.requireName("name", "x".repeat(512))).hasSize(512);
        assertThat(RecordKey.requireName("name", "ü".repeat(256)).getBytes(StandardCharsets.UTF_8))
                .hasSize(512);
        refused("x".repeat(513), "513", "512");
        refused("ü".repeat(257), "257", "512");
        refused("x".repeat(1 << 20), "1048576", "512");
        refused("", "empty", "512");
    }

    @Test
    void aNameHasNoControlCharactersAndNoHalfSurrogates() {
        refused("a\u0000b", "U+0000", "position 1");
        refused("\u001B[2J", "U+001B", "position 0");
        refused("a\n", "U+000A", "position 1");
        refused("a\u007F", "U+007F", "position 1");
        refused("a\u0085", "U+0085", "position 1");
        refused("a\uD83D", "U+D83D", "position 1");
        refused("\uDE00a", "U+DE00", "position 0");
        refused("\uD83D\uD83D\uDE00", "U+D83D", "position 0");
        refused("😀\uDE00", "U+DE00", "position 2");
        assertThat(RecordKey.requireName("name", "😀 \u202E\u00A0")).isNotEmpty();
    }

    private static void refused(String name, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordKey.requireName("the election's name", name))
                .withMessageStartingWith("the election's name")
                .withMessageContainingAll(words);
        assertThatIllegalArgumentException().isThrownBy(() -> RecordKey.election(name));
    }

    @Test
    void aSpaceIsOneShortLowerCaseWord() {
        for (String space : List.of("", "A", "a1", "a/b", "a ", "ü", "a".repeat(33))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RecordKey(space, List.of()))
                    .withMessageContainingAll("'" + space + "'", "32");
        }
        assertThat(new RecordKey("a".repeat(32), List.of()).space()).hasSize(32);
    }

    @Test
    void segmentsAreCopied() {
        List<String> segments = new ArrayList<>(List.of("a"));
        RecordKey key = new RecordKey("election", segments);

        segments.add("b");

        assertThat(key.segments()).containsExactly("a");
    }

    /** Equal hashes would make a map slow, and leave its order to chance: that of the objects' identities. */
    @Test
    void placesOfOneClientInManyQueuesDifferInTheirHashes() {
        assertThat(IntStream.range(0, 1_000)
                        .mapToObj(i ->
                                new RecordKey(RecordKey.QUEUES, List.of("e" + i, "050ad35c7e4aa215090eaa54a239d6b7")))
                        .map(RecordKey::hashCode)
                        .distinct())
                .hasSizeGreaterThan(990);
    }
}
