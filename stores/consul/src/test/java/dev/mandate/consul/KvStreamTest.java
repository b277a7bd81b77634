package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvStreamTest {
    private static final String TWO = """
            [{"LockIndex":1,"Key":"a/b","Flags":0,"Value":"aGVsbG8=","Session":"s-1","CreateIndex":18,"ModifyIndex":22},
             {"LockIndex":0,"Key":"a/ä","Flags":9,"Value":null,"CreateIndex":3,"ModifyIndex":4}]
            """;

    private static List<KvEntry> read(String text, int piece) throws IOException {
        List<KvEntry> entries = new ArrayList<>();
        KvStream stream = new KvStream(entries::add);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length; at += piece) {
            byte[] next = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece));
            stream.feed(next, next.length);
        }
        stream.end();
        return entries;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64, 10_000})
    void entriesComeOutHoweverTheyArrive(int piece) throws IOException {
        List<KvEntry> entries = read(TWO, piece);

        assertThat(entries).containsExactly(new KvEntry("a/b", "aGVsbG8=", "s-1", 22), new KvEntry("a/ä", "", "", 4));
        assertThat(entries.get(0).value()).isEqualTo("hello");
        assertThat(entries.get(0).isLocked()).isTrue();
        assertThat(entries.get(1).value()).isEmpty();
        assertThat(entries.get(1).isLocked()).isFalse();
    }

    @Test
    void noEntriesAreNoEntries() throws IOException {
        assertThat(read("[]", 1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[",
                "[{\"Key\":\"a\",\"ModifyIndex\":1}",
                "{}",
                "true",
                "null",
                "[1]",
                "[[]]",
                "[{\"Key\":\"a\"}]",
                "[{\"ModifyIndex\":1}]",
                "[{\"Key\":\"a\",\"ModifyIndex\":0}]",
                "[{\"Key\":\"a\",\"ModifyIndex\":1,\"x\":{}}]",
                "[] []",
                "[]x",
                "<html>",
                "\u0000"
            })
    void whatNoConsulSaysIsRefused(String text) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(text, 3));
    }

    /** Somebody else's bytes are shown as well as they can be. */
    @Test
    void aValueThatIsNoTextDoesNoHarm() {
        assertThat(new KvEntry("a", "/////w==", "", 1).value()).isNotNull();
        assertThat(new KvEntry("a", "no base64!", "", 1).value()).isEmpty();
    }
}
