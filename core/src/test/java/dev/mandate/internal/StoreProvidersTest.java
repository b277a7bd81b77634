package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who opens a URL, and what it is given. */
class StoreProvidersTest {
    private static final String SERVICE = "META-INF/services/" + ElectionStoreProvider.class.getName();
    private static final List<StoreUrl> OPENED = new ArrayList<>();

    @TempDir
    private Path folder;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    /** Remembers what it is to open, and opens nothing. */
    public static final class Remembering implements ElectionStoreProvider {
        @Override
        public Set<String> schemes() {
            return Set.of("remembering");
        }

        @Override
        public Map<String, String> parameters() {
            return Map.of("own", "the store's own");
        }

        @Override
        public Duration defaultLease() {
            return Duration.ofSeconds(30);
        }

        @Override
        public Set<String> secretVariables() {
            return Set.of();
        }

        @Override
        public ElectionStore open(StoreUrl url) {
            OPENED.add(url);
            throw new StoreSetupException("nothing to open; this is a test");
        }
    }

    /** As one whose driver is not on the class path. */
    public static final class Broken implements ElectionStoreProvider {
        public Broken() {
            throw new NoClassDefFoundError("org/example/Driver");
        }

        @Override
        public Set<String> schemes() {
            return Set.of("broken");
        }

        @Override
        public Map<String, String> parameters() {
            return Map.of();
        }

        @Override
        public Set<String> secretVariables() {
            return Set.of();
        }

        @Override
        public ElectionStore open(StoreUrl url) {
            throw new AssertionError("it was never loaded");
        }
    }

    @BeforeEach
    void forget() {
        OPENED.clear();
    }

    @AfterEach
    void giveBack() {
        Thread.currentThread().setContextClassLoader(before);
    }

    /** What is on the class path from now on, beside what there is already. */
    private void provide(String... names) throws IOException {
        Path file = folder.resolve(SERVICE);
        Files.createDirectories(file.getParent());
        Files.write(file, List.of(names));
        URL[] added = {folder.toUri().toURL()};
        Thread.currentThread()
                .setContextClassLoader(new URLClassLoader(added, getClass().getClassLoader()));
    }

    private StoreUrl opened(ElectionClient.Builder builder) {
        assertThatThrownBy(builder::connect).isInstanceOf(StoreSetupException.class);
        assertThat(OPENED).hasSize(1);
        return OPENED.get(0);
    }

    @Test
    void aStoreIsGivenItsOwnParametersAndTheLease() throws IOException {
        provide(Remembering.class.getName());

        StoreUrl url = opened(ElectionClient.builder("remembering://h/x?lease=20s&own=1&candidate=me"));

        assertThat(url.parameters()).containsExactly(Map.entry("own", "1"));
        assertThat(url.lease()).contains(Duration.ofSeconds(20));
        assertThat(url.mayCreate()).isTrue();
    }

    @Test
    void aStoreMayNotCreateWhatTheClientDoesNotWant() throws IOException {
        provide(Remembering.class.getName());

        assertThat(opened(ElectionClient.builder("remembering://h/x").create(false))
                        .mayCreate())
                .isFalse();
    }

    @Test
    void theLeaseIsTheStoresWhereNobodyAsksForOne() throws IOException {
        provide(Remembering.class.getName());

        assertThat(opened(ElectionClient.builder("remembering://h/x")).lease()).contains(Duration.ofSeconds(30));
    }

    @Test
    void aProviderThatCannotBeLoadedKeepsNoOtherFromOpening() throws IOException {
        provide(Broken.class.getName(), Remembering.class.getName());

        assertThat(opened(ElectionClient.builder("remembering://h/x")).scheme()).isEqualTo("remembering");
    }

    /** As in a jar that was made smaller, but still lists what was taken out of it. */
    @Test
    void aProviderWhoseClassIsMissingKeepsNoOtherFromOpening() throws IOException {
        provide("org.example.Missing", Remembering.class.getName());

        assertThat(opened(ElectionClient.builder("remembering://h/x")).scheme()).isEqualTo("remembering");
    }

    @Test
    void whatCouldNotBeLoadedIsSaidWhereNobodyOpensAUrl() throws IOException {
        provide("org.example.Missing", Broken.class.getName());

        assertThatThrownBy(() -> ElectionClient.connect("broken://h"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'broken:'")
                .hasMessageContaining("could not be loaded")
                .hasMessageContaining("org.example.Missing")
                .hasMessageContaining(Broken.class.getName());
    }

    /** As in a plug-in container. */
    @Test
    void aThreadWhoseContextKnowsNoStoreFindsThoseBesideTheLibrary() {
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());

        try (ElectionClient client = ElectionClient.connect("memory:")) {
            assertThat(client.explain().settings()).isNotEmpty();
        }
    }

    /** Each try fails; it ends all the same. */
    @Test
    void aClassPathThatCannotBeReadIsSaid() {
        Thread.currentThread().setContextClassLoader(new ClassLoader(null) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                throw new IOException("simulated: the jar is gone");
            }
        });

        assertThatThrownBy(() -> ElectionClient.connect("gopher://h"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("could not be loaded");
    }
}
