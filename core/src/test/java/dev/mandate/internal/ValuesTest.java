package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a leader may publish: at most 100 bytes here. */
class ValuesTest {
    private static final StoreTraits TRAITS =
            VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION).withValueBytesMax(100);

    @ParameterizedTest
    @CsvSource({"x, 100", "é, 50", "€, 33", "\uD83D\uDE00, 25"})
    void valuesAreMeasuredInBytes(String letter, int most) {
        String longest = letter.repeat(most);

        assertThat(Values.require(longest, TRAITS)).isSameAs(longest);
        assertThatThrownBy(() -> Values.require(longest + letter, TRAITS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining((longest.length() + letter.length()) + " characters")
                .hasMessageContaining("virtual takes at most 100 bytes")
                .hasMessageNotContaining(letter + letter);
    }

    // Named by their numbers: reports are UTF-8, too.
    @ParameterizedTest(name = "{index}")
    @CsvSource({
        "secret\uD83D, 6",
        "\uDE00secret, 0",
        "s\uD83Decret, 1",
        "\uD83D\uDE00\uDE00, 2",
        "\uD83D\uD83D\uDE00, 0"
    })
    void halfAPairCannotBeWritten(String value, int position) {
        assertThatThrownBy(() -> Values.require(value, TRAITS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half a surrogate pair at position " + position + ";")
                .hasMessageNotContaining("secret");
    }
}
