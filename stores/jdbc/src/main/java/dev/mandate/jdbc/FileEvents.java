package dev.mandate.jdbc;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reports writes to a file and its companions, if the system notifies of them at once. */
final class FileEvents implements AutoCloseable {
    private final WatchService service;
    private final String name;

    private FileEvents(WatchService service, String name) {
        this.service = service;
        this.name = name;
    }

    /** Watches {@code file} and files whose names begin with its name; null if the system can't, or only by polling. */
    static @Nullable FileEvents of(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        Path fileName = file.getFileName();
        if (directory == null || fileName == null) {
            return null;
        }
        WatchService service = null;
        try {
            service = FileSystems.getDefault().newWatchService();
            if (!service.getClass().getSimpleName().contains("Polling")) {
                directory.register(service, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
                return new FileEvents(service, fileName.toString());
            }
        } catch (IOException | UnsupportedOperationException e) {
            // No watch is left or supported: the caller polls.
        }
        close(service);
        return null;
    }

    /** Waits for an event of the file; false if there was none in time. */
    boolean await(long nanos) {
        try {
            WatchKey key = service.poll(nanos, TimeUnit.NANOSECONDS);
            if (key == null) {
                return false;
            }
            boolean ours = false;
            for (WatchEvent<?> event : key.pollEvents()) {
                Object changed = event.context();
                ours |= changed == null || changed.toString().startsWith(name);
            }
            key.reset();
            return ours;
        } catch (InterruptedException | ClosedWatchServiceException e) {
            return false;
        }
    }

    @Override
    public void close() {
        close(service);
    }

    private static void close(@Nullable WatchService service) {
        try {
            if (service != null) {
                service.close();
            }
        } catch (IOException e) {
            // Nothing can be done.
        }
    }
}
