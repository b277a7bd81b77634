package dev.mandate.testkit.history;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads the files of a history while others write them. Not safe for use from many threads. */
public final class HistoryReader {
    private final Path folder;
    private final Map<Path, Long> positions = new HashMap<>();
    private final List<Event> events = new ArrayList<>();

    /** Reads the files in {@code folder}. */
    public HistoryReader(Path folder) {
        this.folder = folder;
    }

    /**
     * All events so far, oldest first. Skips an incomplete last line: it is being written, or its writer was killed.
     *
     * @throws IOException if a file can't be read
     */
    public List<Event> read() throws IOException {
        int before = events.size();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(HistoryLog.ENDING)).toList()) {
                readOn(file);
            }
        }
        if (events.size() > before) {
            events.sort(Comparator.comparingLong(Event::nanos));
        }
        return List.copyOf(events);
    }

    private void readOn(Path path) throws IOException {
        long position = positions.getOrDefault(path, 0L);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] bytes = new byte[Math.toIntExact(file.length() - position)];
            file.seek(position);
            file.readFully(bytes);
            String text = new String(bytes, StandardCharsets.US_ASCII);
            int end = text.lastIndexOf('\n') + 1;
            text.substring(0, end).lines().map(Event::parse).forEach(events::add);
            positions.put(path, position + end);
        }
    }
}
