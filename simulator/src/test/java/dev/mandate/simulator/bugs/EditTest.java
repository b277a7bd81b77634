package dev.mandate.simulator.bugs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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

    @Test
    void whatDoesNotFitNamesTheBug() {
        List<Edit> edits = List.of(new Edit("engine/Work.java", "no such line", ""));

        assertThatThrownBy(() -> new EditedEngine("odd-one", edits))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("planted bug odd-one: engine/Work.java does not contain 'no such line'");
    }

    @Test
    void whatDoesNotCompileNamesTheBug() {
        List<Edit> edits = List.of(new Edit("engine/Work.java", "return running != null;", "return running;"));

        assertThatThrownBy(() -> new EditedEngine("odd-one", edits))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("planted bug odd-one does not compile")
                .hasMessageContaining("incompatible types");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        List<Edit> edits = List.of(new Edit("engine/Nothing.java", "a", "b"));

        assertThatThrownBy(() -> new EditedEngine("odd-one", edits))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("engine/Nothing.java is not on the class path");
    }
}
