package dev.mandate.simulator.bugs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.testkit.bugs.Edit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A bug that can't be planted is named. */
class EditedEngineTest {
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
