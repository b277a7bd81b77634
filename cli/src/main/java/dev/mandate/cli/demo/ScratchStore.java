package dev.mandate.cli.demo;

import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.cli.StoreAddress;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The store that was asked for; or else a SQLite file in a new folder, both deleted when this is closed or the process ends. */
public final class ScratchStore implements AutoCloseable {
    private final StoreAddress address;
    private final @Nullable Path folder;
    private final Thread atExit = new Thread(this::delete, "demo-scratch");

    private ScratchStore(StoreAddress address, @Nullable Path folder) {
        this.address = address;
        this.folder = folder;
        if (folder != null) {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    /** The store at {@code url}, or that of the environment; a new one if neither names any. */
    public static ScratchStore unless(@Nullable String url, Map<String, String> environment) {
        boolean isGiven = url != null
                || !environment.getOrDefault(StoreAddress.URL_VARIABLE, "").isEmpty()
                || !environment.getOrDefault(StoreAddress.FILE_VARIABLE, "").isEmpty();
        if (isGiven) {
            return new ScratchStore(StoreAddress.resolve(url, environment), null);
        }
        try {
            Path folder = Files.createTempDirectory("mandate-demo-");
            String file = folder.resolve("demo.db").toAbsolutePath().toString();
            String encoded = file.replace("%", "%25").replace("?", "%3F");
            return new ScratchStore(StoreAddress.resolve("sqlite:" + encoded, environment), folder);
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.SETUP,
                    "no temporary folder can be made (" + e.getMessage() + "); give a store with --store",
                    e);
        }
    }

    /** The store. */
    public StoreAddress address() {
        return address;
    }

    private void delete() {
        if (folder == null) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // It is in the folder for what may be deleted.
        }
    }

    @Override
    public void close() {
        if (folder == null) {
            return;
        }
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process ends already, and the hook does the same.
        }
    }
}
