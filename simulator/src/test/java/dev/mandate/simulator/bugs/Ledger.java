package dev.mandate.simulator.bugs;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.StoreKind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page {@code docs/planted-bugs.md}: what the code says of each bug, and beside it what was measured. */
final class Ledger {
    private static final Pattern ROW =
            Pattern.compile("\\| `([a-z-]+)` \\|.*\\| (\\w+) \\| [\\d,]+ \\| ([\\d,]+) \\(([\\d,]+)\\) \\|"
                    + " `--seed (\\d+) --expiry ([a-z-]+)[^`]*` \\|");

    private static final String TOP = """
            # Planted bugs

            A simulator that finds nothing may be blind. So known mistakes are planted in the engine, the runtime, the model of a
            store, or the register and the order of a group, one at a time, and every build has to find each of them: by an invariant that names its harm, and within
            the number of seeds that stands in its row. [Why they are edits of the source](adr/0012-planted-bugs-are-edits-of-the-source.md).

            - **Found by**: what the seed in the last column breaks. `BELIEF`: two candidates are valid at once. `EFFECTS`: work
              runs beside the next leader's. The others are explained in `dev.mandate.simulator.check.Invariant`.
            - **Seeds needed**: the median of %d hunts from as many seed bases, and the most. The budget is at least %d times the
              median, because every build hunts from a seed base that nobody has used before.
            - **Seed**: one that finds it. The last steps of its schedule:
              `java -jar simulator/target/simulator.jar --bug NAME` and what stands in the last column.

            This page is written by a test, see [Plant a bug](../CONTRIBUTING.md#plant-a-bug); another checks every row.

            """;

    private static final String HEAD = """
            | bug | the mistake | who made it | found by | budget | seeds needed | seed |
            |---|---|---|---|--:|--:|---|
            """;

    private Ledger() {}

    /**
     * What was measured for one bug.
     *
     * @param median how many seeds half of the hunts needed at the most
     * @param most how many the longest hunt needed
     */
    record Entry(Invariant invariant, StoreKind kind, long seed, long median, long most) {}

    /** The whole page. */
    static String text(Collection<PlantedBug> bugs, Map<String, Entry> entries) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, TOP, Survey.HUNTS, Survey.MARGIN));
        text.append(String.format(Locale.ROOT, "%d bugs:%n%n", bugs.size())).append(HEAD);
        for (PlantedBug bug : bugs) {
            Entry entry = entries.get(bug.name());
            text.append(entry == null ? "| `" + bug.name() + "` | not measured |\n" : row(bug, entry));
        }
        return text.toString();
    }

    private static String row(PlantedBug bug, Entry entry) {
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s | %,d | %,d (%,d) | `--seed %d --expiry %s%s` |%n",
                bug.name(),
                bug.what(),
                bug.whose(),
                entry.invariant(),
                bug.seedsMax(),
                entry.median(),
                entry.most(),
                entry.seed(),
                entry.kind().text(),
                bug.aim() == dev.mandate.simulator.world.Aim.SWARM
                        ? ""
                        : " --aim " + bug.aim().text());
    }

    /** What stands in a page that {@link #text} wrote: entries by name. */
    static Map<String, Entry> read(List<String> lines) {
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (String line : lines) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                entries.put(
                        row.group(1),
                        new Entry(
                                Invariant.valueOf(row.group(2)),
                                StoreKind.parse(row.group(6)),
                                Long.parseLong(row.group(5)),
                                number(row.group(3)),
                                number(row.group(4))));
            }
        }
        return entries;
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }
}
