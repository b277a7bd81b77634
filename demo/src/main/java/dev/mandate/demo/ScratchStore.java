package dev.mandate.demo;

import dev.mandate.console.StoreAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The store that was given; else a SQLite file in a new folder, deleted when this is closed or the process ends. */
public final class ScratchStore implements AutoCloseable {
    private final StoreAddress address;
    private final @Nullable ScratchFolder folder;

    private ScratchStore(StoreAddress address, @Nullable ScratchFolder folder) {
        this.address = address;
        this.folder = folder;
    }

    /** The store at {@code url}, or that of the environment; a new one if neither is given. */
    public static ScratchStore unless(@Nullable String url, Map<String, String> environment) {
        boolean isGiven = url != null
                || !environment.getOrDefault(StoreAddress.URL_VARIABLE, "").isEmpty()
                || !environment.getOrDefault(StoreAddress.FILE_VARIABLE, "").isEmpty();
        if (isGiven) {
            return new ScratchStore(StoreAddress.resolve(url, environment), null);
        }
        ScratchFolder folder = new ScratchFolder();
        String file = folder.path().resolve("demo.db").toAbsolutePath().toString();
        String encoded = file.replace("%", "%25").replace("?", "%3F");
        return new ScratchStore(StoreAddress.resolve("sqlite:" + encoded, environment), folder);
    }

    /** The store. */
    public StoreAddress address() {
        return address;
    }

    @Override
    public void close() {
        if (folder != null) {
            folder.close();
        }
    }
}
