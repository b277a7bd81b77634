package dev.mandate.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Helpers for small immutable lists that are replaced as a whole, and for long lists sorted by name. */
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

    /** Applies {@code make} to each run of items with the same name. */
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

    /** Receives the items of {@link #pairs}. */
    @FunctionalInterface
    interface Pairs<T> {
        /** The items of one name; null where a list has none. */
        void pair(@Nullable T before, @Nullable T after);
    }

    /** Passes the items of two sorted lists to {@code each}, paired by name. */
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
