package dev.mandate.testkit.bugs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** An edit is made exactly where it was meant to be, or not at all. */
class EditTest {
    private static final String TEXT = """
            int twice(int one) {
                // a comment
                return one
                        .plus(
                                one);
            }
            """;

    @Test
    void replacesWhatStandsThereOnce() {
        Edit edit = new Edit("F.java", "return one.plus(one);", "return one;");

        assertThat(edit.in(TEXT)).isEqualTo("int twice(int one) { return one; }");
    }

    @Test
    void isRefusedWhereNothingFits() {
        Edit edit = new Edit("F.java", "return two;", "return one;");

        assertThatThrownBy(() -> edit.in(TEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("F.java does not contain 'return two;'")
                .hasMessageContaining("plant this bug anew");
    }

    @Test
    void isRefusedWhereSeveralFit() {
        Edit edit = new Edit("F.java", "one", "two");

        assertThatThrownBy(() -> edit.in(TEXT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("F.java contains more than once 'one'");
    }
}
