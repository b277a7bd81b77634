package dev.mandate.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Metadata of an instance, as it is given on a command line: {@code NAME=VALUE}. */
public final class Metadata {
    private Metadata() {}

    /**
     * All of it by name.
     *
     * @throws IllegalArgumentException that names what is no such pair, or is given twice
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
