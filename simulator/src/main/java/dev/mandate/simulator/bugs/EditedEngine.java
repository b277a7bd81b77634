package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.testkit.bugs.Edit;
import dev.mandate.testkit.bugs.EditedClasses;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The engine, the world and the checkers, loaded once more with some edits. Only text passes between the two copies,
 * because their classes have the same names but are different classes.
 *
 * <p>Safe for use from several threads.
 */
final class EditedEngine {
    private final String name;
    private final Class<?> twin;

    /**
     * Applies the edits, compiles and loads.
     *
     * @param name of the bug, for messages
     * @throws IllegalStateException if an edit does not fit, or its result does not compile
     */
    EditedEngine(String name, List<Edit> edits) {
        this.name = name;
        EditedClasses loader = new EditedClasses(edits.isEmpty() ? Map.of() : BugCompiler.compile(name, edits));
        try {
            this.twin = Class.forName(Schedules.class.getName(), true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("planted bug " + name + " cannot be loaded", e);
        }
    }

    /**
     * Runs one seed after the other until one breaks an invariant of {@code wanted}; ignores other violations.
     *
     * @param kind the kind of store; null if it follows from the seed
     * @param seeds how many at most, from {@code base} on
     */
    Optional<Find> search(Aim aim, @Nullable StoreKind kind, long base, long seeds, Set<Invariant> wanted) {
        String[] found = (String[]) call(
                "search",
                aim.text(),
                kind == null ? "" : kind.text(),
                Long.toString(base),
                Long.toString(seeds),
                wanted.stream().map(Enum::name).collect(Collectors.joining(",")));
        return found.length == 0
                ? Optional.empty()
                : Optional.of(new Find(
                        Long.parseLong(found[0]),
                        StoreKind.parse(found[1]),
                        Long.parseLong(found[0]) - base + 1,
                        Invariant.valueOf(found[2]),
                        found[3]));
    }

    /** Like {@link #search}, but for any invariant. */
    Optional<Find> searchAny(Aim aim, @Nullable StoreKind kind, long base, long seeds) {
        return search(aim, kind, base, seeds, EnumSet.allOf(Invariant.class));
    }

    /** Replays one seed; returns its knobs, its last {@code lines} steps, and what was broken. */
    String tell(Aim aim, StoreKind kind, long seed, int lines) {
        return ((String[]) call("tell", aim.text(), kind.text(), Long.toString(seed), Integer.toString(lines)))[0];
    }

    private Object call(String method, String... arguments) {
        try {
            Method entry = twin.getDeclaredMethod(method, String[].class);
            entry.setAccessible(true);
            return entry.invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("planted bug " + name + " broke the simulator itself", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("planted bug " + name + " cannot be run", e);
        }
    }
}
