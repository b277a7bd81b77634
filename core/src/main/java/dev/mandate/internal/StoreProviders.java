package dev.mandate.internal;

import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds who opens a URL, and refuses what nobody understands. */
final class StoreProviders {
    /** Which jar brings the well-known schemes. */
    private static final Map<String, String> JARS = Map.ofEntries(
            Map.entry("sqlite", "mandate-jdbc"),
            Map.entry("postgresql", "mandate-jdbc"),
            Map.entry("postgres", "mandate-jdbc"),
            Map.entry("jdbc", "mandate-jdbc"),
            Map.entry("etcd", "mandate-etcd"),
            Map.entry("etcds", "mandate-etcd"),
            Map.entry("consul", "mandate-consul"),
            Map.entry("consuls", "mandate-consul"),
            Map.entry("nats", "mandate-nats"),
            Map.entry("azblob", "mandate-azure-blob"),
            Map.entry("bully", "mandate-peers"),
            Map.entry("ring", "mandate-peers"));

    private StoreProviders() {}

    /**
     * Who opens {@code url}.
     *
     * @throws IllegalArgumentException that names the scheme, the known ones, and the jar that is missing
     */
    static ElectionStoreProvider find(StoreUrl url) {
        List<ElectionStoreProvider> all = new ArrayList<>();
        ServiceLoader.load(ElectionStoreProvider.class).forEach(all::add);
        if (all.isEmpty()) {
            // A thread whose context knows nothing of this library: look where the library itself came from.
            ServiceLoader.load(ElectionStoreProvider.class, ElectionStoreProvider.class.getClassLoader())
                    .forEach(all::add);
        }
        Optional<ElectionStoreProvider> found =
                all.stream().filter(p -> p.schemes().contains(url.scheme())).findFirst();
        return found.orElseThrow(() -> unknown(url.scheme(), all));
    }

    private static IllegalArgumentException unknown(String scheme, List<ElectionStoreProvider> all) {
        TreeSet<String> known = new TreeSet<>();
        all.forEach(p -> known.addAll(p.schemes()));
        String here = known.isEmpty() ? "none is" : String.join(", ", known) + (known.size() == 1 ? " is" : " are");
        String jar = JARS.get(scheme);
        if (jar != null) {
            return new IllegalArgumentException(
                    "no store on the class path opens '" + scheme + ":' URLs (" + here + " there); add the jar " + jar);
        }
        TreeSet<String> candidates = new TreeSet<>(known);
        candidates.addAll(JARS.keySet());
        return new IllegalArgumentException("no store is known by the scheme '" + scheme + ":'"
                + Spelling.suggestion(scheme, candidates) + " (" + here + " on the class path)");
    }

    /**
     * Refuses parameters that neither the client nor the store understands.
     *
     * @throws IllegalArgumentException that names the parameter, not its value, and the nearest one that exists
     */
    static void requireKnown(StoreUrl url, ElectionStoreProvider provider) {
        TreeSet<String> known = new TreeSet<>(Setting.words());
        known.addAll(provider.parameters().keySet());
        for (String parameter : url.parameters().keySet()) {
            if (!known.contains(parameter)) {
                String near = Spelling.suggestion(parameter, known);
                throw new IllegalArgumentException("the store URL has an unknown parameter '" + parameter + "'"
                        + (near.isEmpty() ? "; " + url.scheme() + ": knows " + String.join(", ", known) : near));
            }
        }
    }
}
