package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Headers of records, as any program may have written them. */
class WireTest {
    @Test
    void aHeaderIsFoundWhateverItsCase() {
        String headers = "NATS/1.0\r\nX: 1\r\nkv-operation:  DEL \r\nKV-Operation: PURGE\r\n\r\n";
        assertThat(Wire.header(headers, Entry.OPERATION)).isEqualTo("DEL");
        assertThat(Wire.header(headers, Entry.BUCKET)).isNull();
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
