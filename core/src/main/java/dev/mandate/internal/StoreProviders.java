package dev.mandate.internal;

import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Finds the provider for a URL, and refuses what no provider understands. */
final class StoreProviders {
    /** The jars of the well-known schemes. */
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
            Map.entry("tls", "mandate-nats"),
            Map.entry("bully", "mandate-peers"),
            Map.entry("ring", "mandate-peers"),
            Map.entry("peers", "mandate-peers"),
            Map.entry("azblob", "mandate-azure-blob"),
            Map.entry("azblob+http", "mandate-azure-blob"));

    /** An unreadable class path fails at every try, for ever. */
    private static final int TRIES_MAX = 100;

    private StoreProviders() {}

    /**
     * The provider for {@code url}.
     *
     * @throws IllegalArgumentException that names the scheme, the known ones, and the jar that is missing
     */
    static ElectionStoreProvider find(StoreUrl url) {
        Set<String> broken = new LinkedHashSet<>();
        List<ElectionStoreProvider> all = load(ServiceLoader.load(ElectionStoreProvider.class), broken);
        if (all.isEmpty()) {
            // The thread's context class loader does not know this library: use the library's own.
            ClassLoader own = ElectionStoreProvider.class.getClassLoader();
            all = load(ServiceLoader.load(ElectionStoreProvider.class, own), broken);
        }
        for (ElectionStoreProvider each : all) {
            if (each.schemes().contains(url.scheme())) {
                return each;
            }
        }
        throw unknown(url.scheme(), all, broken);
    }

    /** Skips providers that can't be loaded, for lack of a driver, say: the others still work. */
    private static List<ElectionStoreProvider> load(ServiceLoader<ElectionStoreProvider> loader, Set<String> broken) {
        List<ElectionStoreProvider> loaded = new ArrayList<>();
        Iterator<ElectionStoreProvider> each = loader.iterator();
        for (int i = 0; i < TRIES_MAX; i++) {
            try {
                if (!each.hasNext()) {
                    return loaded;
                }
                loaded.add(each.next());
            } catch (ServiceConfigurationError e) {
                broken.add(String.valueOf(e.getMessage()));
            }
        }
        return loaded;
    }

    private static IllegalArgumentException unknown(
            String scheme, List<ElectionStoreProvider> all, Set<String> broken) {
        TreeSet<String> known = new TreeSet<>();
        all.forEach(p -> known.addAll(p.schemes()));
        if (!broken.isEmpty()) {
            return new IllegalArgumentException("no store on the class path opens '" + scheme
                    + ":' URLs, and some could not be loaded: " + String.join("; ", broken));
        }
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
     * @throws IllegalArgumentException that names the parameter, not its value, and the nearest known one
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
