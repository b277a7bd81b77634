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

/** Tells when a file, or one that belongs to it, was written to, where the system does so at once. */
final class FileEvents implements AutoCloseable {
    private final WatchService service;
    private final String name;

    private FileEvents(WatchService service, String name) {
        this.service = service;
        this.name = name;
    }

    /**
     * Events of {@code file} and of files whose names begin with its; null where the system has none, or only by
     * polling.
     */
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
            // No more watches left, or none at all: the caller looks by itself.
        }
        close(service);
        return null;
    }

    /** Waits for news of the file; false if there were none in time. */
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
            // Nothing to be done about it.
        }
    }
}
