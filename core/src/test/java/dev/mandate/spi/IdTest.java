package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Identifiers and their text form. */
class IdTest {

    @Test
    void theTextFormIsThirtyTwoDigits() {
        assertThat(new Id(0x0123456789abcdefL, 0xfedcba9876543210L)).hasToString("0123456789abcdeffedcba9876543210");
        assertThat(Id.NONE).hasToString("00000000000000000000000000000000");
        assertThat(new Id(-1, 1)).hasToString("ffffffffffffffff0000000000000001");
    }

    @Test
    void everyIdentifierComesBack() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            Id id = new Id(random.nextLong(), random.nextLong());

            assertThat(Id.parse(id.toString())).isEqualTo(id);
        }
        assertThat(Id.parse("ABCDEFABCDEFABCD0000000000000001")).isEqualTo(new Id(0xABCDEFABCDEFABCDL, 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0123456789abcdef",
                "0123456789abcdeffedcba987654321",
                "0123456789abcdeffedcba98765432100",
                "0123456789abcdeffedcba987654321g",
                "g123456789abcdeffedcba9876543210",
                "0123456789abcde fedcba9876543210",
                "-123456789abcdeffedcba9876543210",
                "٠123456789abcdeffedcba9876543210",
                "0123456789abcdeffedcba987654321\u0660"
            })
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Id.parse(text))
                .withMessageContaining("32 hexadecimal digits");
    }
}
