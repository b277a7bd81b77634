package dev.mandate.jdbc;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreConformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.io.TempDir;

class SqliteConformanceTest extends StoreConformance {
    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("mandate.db");
    }

    @Override
    protected ElectionStore open() {
        return new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + file()));
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> {
            Path text = directory.resolve("text.db");
            write(text);
            return new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + text));
        });
    }

    private static void write(Path text) throws IOException {
        Files.writeString(text, "This is a shopping list, not a database. ".repeat(100));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "sqlite:", List.of("names no file"),
                "sqlite://server/file.db", List.of("names a host"),
                "sqlite::memory:", List.of("no plain file"),
                "sqlite:a%zz", List.of("percent-encoded"),
                "sqlite:a.db?create=maybe", List.of("'create'", "'maybe'"),
                "sqlite:a.db?schema=x", List.of("'schema'", "PostgreSQL"),
                "jdbc:oracle:thin:x", List.of("no known database"));
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            Foreign.write(connection, key, text);
        }
        return true;
    }
}
