package dev.mandate.examples.files;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Opens {@code folder:/var/lib/elections}: a folder on a local disk, shared by the processes of one machine. */
public final class FileStoreProvider implements ElectionStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public FileStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("folder");
    }

    @Override
    public Map<String, String> parameters() {
        return Map.of("create", "whether to create a missing folder: true (default) or false");
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        if (url.rest().isEmpty()) {
            throw new IllegalArgumentException(
                    "the store URL names no folder; write it like folder:/var/lib/elections");
        }
        Path folder = Path.of(url.rest()).toAbsolutePath();
        try {
            if (url.mayCreate()) {
                Files.createDirectories(folder);
            }
        } catch (IOException e) {
            throw new StoreSetupException("cannot create the folder " + folder + "; name another one: " + e, e);
        }
        if (!Files.isDirectory(folder)) {
            throw new StoreSetupException("the folder " + folder + " does not exist; create it, or allow create=true");
        }
        return new FileStore(folder);
    }
}
