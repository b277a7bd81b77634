package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Headers of records, as any program may have written them, and answers to writes. */
class WireTest {
    @Test
    void aHeaderIsFoundWhateverItsCase() {
        String headers = "NATS/1.0\r\nX: 1\r\nkv-operation:  DEL \r\nKV-Operation: PURGE\r\n\r\n";
        assertThat(Wire.header(headers, Entry.OPERATION)).isEqualTo("DEL");
        assertThat(Wire.header(headers, Entry.BUCKET)).isNull();
    }

    /** All else is read as JSON, which knows errors and other streams. */
    @Test
    void onlyTheUsualAnswerToAWriteIsReadWithoutAParser() {
        Pattern written = Wire.written("KV_A.B");
        for (String usual : List.of("{\"stream\":\"KV_A.B\",\"seq\":17}", "{\"stream\":\"KV_A.B\", \"seq\":17}")) {
            Matcher found = written.matcher(usual);
            assertThat(found.matches()).isTrue();
            assertThat(found.group(1)).isEqualTo("17");
        }
        assertThat(List.of(
                        "{\"stream\":\"KV_A.B\",\"seq\":0}",
                        "{\"stream\":\"KV_A.B\",\"seq\":1234567890123456789}",
                        "{\"stream\":\"KV_A.B\",\"seq\":17,\"duplicate\":true}",
                        "{\"stream\":\"KV_A.B\",\"domain\":\"hub\",\"seq\":17}",
                        "{\"stream\":\"KV_AxB\",\"seq\":17}",
                        "{\"error\":{\"code\":400},\"stream\":\"KV_A.B\",\"seq\":17}"))
                .noneMatch(other -> written.matcher(other).matches());
    }

    /** jnats refuses to read these; the key must read as foreign, and the others of a listing must not suffer. */
    @Test
    void headersThatJnatsDoesNotReadAreNoFault() {
        assertThat(Wire.header("NATS/1.0\r\nAuthor: José\r\nKV-Operation: DEL\r\n\r\n", Entry.OPERATION))
                .isEqualTo("DEL");
        assertThat(Wire.header("NATS/1.0\r\n\r\n", Entry.OPERATION)).isNull();
        assertThat(Wire.header("NATS/1.0 404 No Messages\r\n\r\n", Entry.OPERATION))
                .isNull();
        assertThat(Wire.header("", Entry.OPERATION)).isNull();
    }
}
