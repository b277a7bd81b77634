package dev.mandate.internal.memory;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The pages of a {@link ModelStore}'s listings. Each shows the rows as it is read: rows may change between pages. */
final class Listing {
    private final TreeMap<String, Row> rowsByPath;
    private final ModelOptions options;
    private final Function<Row, Observation> shown;

    Listing(TreeMap<String, Row> rowsByPath, ModelOptions options, Function<Row, Observation> shown) {
        this.rowsByPath = rowsByPath;
        this.options = options;
        this.shown = shown;
    }

    /** At most {@code limit} items at and below the path {@code top}, in the order of their paths. */
    Page<Observation> page(String top, Cursor from, int limit) {
        boolean first = from.equals(Cursor.START);
        boolean counts = options.listsByPosition();
        int skipped = first || !counts ? 0 : Integer.parseInt(from.opaque());
        String after = first || counts ? "" : from.opaque();
        List<Observation> items = new ArrayList<>();
        String last = top;
        int position = 0;
        for (Row row : rows(top, after)) {
            if (!options.listsVacant() && row.isVacant()) {
                continue;
            }
            if (items.size() == limit) {
                return new Page<>(items, new Cursor(counts ? Integer.toString(position) : last));
            }
            if (position++ >= skipped) {
                items.add(shown.apply(row));
                last = row.path;
            }
        }
        return new Page<>(items, null);
    }

    /** The rows at and below {@code top}, after that path. Skips names in between that merely begin alike. */
    private Iterable<Row> rows(String top, String after) {
        // '0' is what follows '/'.
        Collection<Row> below = rowsByPath
                .subMap(after.compareTo(top) > 0 ? after : top + '/', false, top + '0', false)
                .values();
        Row itself = after.isEmpty() ? rowsByPath.get(top) : null;
        return itself == null
                ? below
                : () -> Stream.concat(Stream.of(itself), below.stream()).iterator();
    }
}
