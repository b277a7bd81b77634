package dev.mandate.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads an instance's metadata from the command line: {@code NAME=VALUE}. */
public final class Metadata {
    private Metadata() {}

    /**
     * The values by name.
     *
     * @throws IllegalArgumentException if a pair is malformed, or a name is given twice; names it
     */
    public static Map<String, String> parse(List<String> pairs) {
        Map<String, String> all = new TreeMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("--metadata is '" + pair + "'; write it NAME=VALUE");
            }
            String name = pair.substring(0, equals);
            if (all.put(name, pair.substring(equals + 1)) != null) {
                throw new IllegalArgumentException("--metadata has '" + name + "' twice; give it once");
            }
        }
        return all;
    }
}
