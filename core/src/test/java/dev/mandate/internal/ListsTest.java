package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListsTest {
    private static List<String> runs(String... sorted) {
        return Lists.runs(List.of(sorted), text -> text.substring(0, 1), (name, run) -> name + run);
    }

    private static List<String> pairs(List<String> before, List<String> after) {
        List<String> pairs = new ArrayList<>();
        Lists.pairs(before, after, text -> text.substring(0, 1), (old, young) -> pairs.add(old + ">" + young));
        return pairs;
    }

    @Test
    void neighboursOfOneNameMakeARun() {
        assertThat(runs("a1", "a2", "b1", "c1", "c2")).containsExactly("a[a1, a2]", "b[b1]", "c[c1, c2]");
        assertThat(runs("a1")).containsExactly("a[a1]");
        assertThat(runs()).isEmpty();
    }

    @Test
    void whatHasOneNameIsAPair() {
        assertThat(pairs(List.of("a1", "b1", "d1"), List.of("b2", "c2", "d2")))
                .containsExactly("a1>null", "b1>b2", "null>c2", "d1>d2");
        assertThat(pairs(List.of(), List.of("a2", "b2"))).containsExactly("null>a2", "null>b2");
        assertThat(pairs(List.of("a1", "b1"), List.of())).containsExactly("a1>null", "b1>null");
        assertThat(pairs(List.of(), List.of())).isEmpty();
    }
}
