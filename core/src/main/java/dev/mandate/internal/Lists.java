package dev.mandate.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Small immutable lists that are replaced as a whole, and long ones that are sorted by name. */
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

    /** What {@code make} makes of each run of the same name. */
    static <T, R> List<R> runs(List<T> sorted, Function<T, String> name, BiFunction<String, List<T>, R> make) {
        List<R> runs = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= sorted.size(); i++) {
            String its = name.apply(sorted.get(from));
            if (i == sorted.size() || !name.apply(sorted.get(i)).equals(its)) {
                runs.add(make.apply(its, sorted.subList(from, i)));
                from = i;
            }
        }
        return List.copyOf(runs);
    }

    /** Whom {@link #pairs} shows what. */
    @FunctionalInterface
    interface Pairs<T> {
        /** What has one name; null where there is none. */
        void pair(@Nullable T before, @Nullable T after);
    }

    /** Shows what there is of each name in two sorted lists, by name. */
    static <T> void pairs(List<T> before, List<T> after, Function<T, String> name, Pairs<T> each) {
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            T old = i < before.size() ? before.get(i) : null;
            T young = j < after.size() ? after.get(j) : null;
            int order = old == null ? 1 : young == null ? -1 : name.apply(old).compareTo(name.apply(young));
            each.pair(order <= 0 ? old : null, order >= 0 ? young : null);
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
    }
}
