package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.console.StoreAddress;
import dev.mandate.spi.ElectionStoreProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No store forgets to say which variables of the environment it reads by itself, so that {@code run} withholds them.
 */
class SecretVariablesTest {
    /** What looks like the name of a variable that holds a secret. */
    private static final Pattern SECRET =
            Pattern.compile("\"([A-Z][A-Z0-9]*_[A-Z0-9_]*(KEY|TOKEN|SECRET|PASS|PASSWORD|CONNECTION_STRING|CREDS?))\"");

    private static final Map<String, Set<String>> BY_STORE = Map.of(
            "memory", Set.of(),
            // The driver reads PGPASSFILE, which names a file and is no secret; PGPASSWORD it does not read.
            "sqlite", Set.of(),
            "etcd", Set.of(),
            "consul", Set.of("CONSUL_HTTP_TOKEN"),
            // The configuration of its command is a file.
            "nats", Set.of(),
            // A group's secret comes from a file, or from a variable that the URL names.
            "peers", Set.of(),
            "azblob", Set.of("AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"));

    static List<ElectionStoreProvider> providers() {
        return java.util.ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(java.util.ServiceLoader.Provider::get)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("providers")
    void ofEachStoreAllAreWithheld(ElectionStoreProvider provider) {
        String scheme = BY_STORE.keySet().stream()
                .filter(provider.schemes()::contains)
                .findFirst()
                .orElseThrow(() -> new AssertionError("say here what the store of " + provider.schemes() + " reads"));

        assertThat(provider.secretVariables()).isEqualTo(BY_STORE.get(scheme));
        // Whichever store is in use.
        StoreAddress address = StoreAddress.resolve("sqlite:/nowhere/x.db", Map.of());
        assertThat(provider.secretVariables()).allMatch(address::isOwnVariable);
        assertThat(address.isOwnVariable("PGHOST")).isFalse();
    }

    @Test
    void whateverTheSourcesOfAStoreNameIsAmongThem() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("verify"))) {
            root = root.getParent();
        }
        Map<String, Path> named = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root.resolve("stores"))) {
            files.filter(file -> file.toString().matches(".*/src/main/.*\\.java"))
                    .forEach(file -> SECRET.matcher(read(file))
                            .results()
                            .map((MatchResult found) -> found.group(1))
                            .forEach(name -> named.put(name, file)));
        }
        Set<String> declared = providers().stream()
                .flatMap(provider -> provider.secretVariables().stream())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named.keySet()).as("%s", named).isEqualTo(declared);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
