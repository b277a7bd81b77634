package dev.mandate.internal;

import java.util.ArrayList;
import java.util.List;

/** Small immutable lists that are replaced as a whole. */
final class Lists {
    private Lists() {}

    static <T> List<T> with(List<T> list, T one) {
        List<T> more = new ArrayList<>(list);
        more.add(one);
        return List.copyOf(more);
    }

    static <T> List<T> without(List<T> list, T one) {
        return list.stream().filter(each -> each != one).toList();
    }
}
