package dev.mandate.testkit.bugs;

import java.util.ArrayList;
import java.util.List;

/**
 * One known mistake in a store.
 *
 * @param name lower case, with hyphens
 * @param what one sentence: the mistake, not its cure
 * @param edits what makes it; their files are below the package of the class that lists them
 * @param tests that must fail, each {@code Class#method} of the same package, or {@code Class} for any of its tests
 */
public record StoreBug(String name, String what, List<Edit> edits, List<String> tests) {

    /** Begins to define a bug. */
    public static Draft bug(String name, String what) {
        return new Draft(name, what);
    }

    /** Collects the parts of a bug. */
    public static final class Draft {
        private final String name;
        private final String what;
        private final List<Edit> edits = new ArrayList<>();

        private Draft(String name, String what) {
            this.name = name;
            this.what = what;
        }

        /** Adds an {@link Edit}. The compiler copies a constant into every class that uses it: edit those. */
        public Draft edit(String file, String find, String replace) {
            edits.add(new Edit(file, find, replace));
            return this;
        }

        /** Completes the bug with the tests that must fail. */
        public StoreBug foundBy(String first, String... others) {
            List<String> tests = new ArrayList<>(List.of(first));
            tests.addAll(List.of(others));
            return new StoreBug(name, what, List.copyOf(edits), List.copyOf(tests));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
