package dev.mandate.examples.files;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreConformance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The smallest store passes what every store must pass. */
@Tag("long")
class FileStoreConformanceTest extends StoreConformance {
    @TempDir
    Path folder;

    @Override
    protected ElectionStore open() {
        return new FileStoreProvider().open(StoreUrl.parse("folder:" + folder.resolve("elections")));
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> {
            Path file = Files.writeString(folder.resolve("list.txt"), "A shopping list.");
            return new FileStoreProvider().open(StoreUrl.parse("folder:" + file));
        });
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "folder:", List.of("names no folder"),
                "folder:elections?create=maybe", List.of("'create'", "'maybe'"));
    }
}
