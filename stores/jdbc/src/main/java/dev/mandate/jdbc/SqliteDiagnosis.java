package dev.mandate.jdbc;

import dev.mandate.spi.Finding;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The doctor's findings about an SQLite file. Read-only; takes a few milliseconds. */
final class SqliteDiagnosis {
    private static final long MIB = 1 << 20;
    private static final long ROOM_MIN = 64 * MIB;
    private static final long LOG_MAX = 64 * MIB;
    private static final long CHECKED_MAX = 64 * MIB;
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    private SqliteDiagnosis() {}

    static List<Finding> of(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok("version", "SQLite " + text(connection, "SELECT sqlite_version()")));
        Path file = SqliteSource.fileOf(connection);
        long bytes = number(connection, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
        findings.add(journal(connection, file));
        if (bytes <= CHECKED_MAX) {
            findings.add(checked(text(connection, "PRAGMA quick_check(1)")));
        }
        if (file == null) {
            findings.add(Finding.error(
                    "file", "the database is in the memory of this process: nobody else can take part; name a file"));
            return findings;
        }
        findings.add(place(file, bytes));
        permissions(file, findings);
        findings.add(Finding.ok(
                "clock", "observers judge, each by its own clock; the clock of this machine only makes tokens large"));
        return findings;
    }

    /** The mode was set when the connection was opened, which fails if that is impossible. */
    private static Finding journal(Connection connection, @Nullable Path file) throws SQLException {
        String mode = text(connection, "PRAGMA journal_mode");
        String settings = "journal mode " + mode + ", who acquires waits for the disk (synchronous FULL),"
                + " who renews does not (NORMAL)";
        long log = file == null ? 0 : size(Path.of(file + "-wal"));
        return log > LOG_MAX
                ? Finding.warning(
                        "durability",
                        settings + "; the log beside the file has " + log / MIB
                                + " MiB: somebody reads in a transaction that never ends, so it can't be emptied")
                : Finding.ok("durability", settings);
    }

    private static Finding checked(String said) {
        return said.equals("ok")
                ? Finding.ok("file", "no damage was found")
                : Finding.error("file", "the file is damaged; restore it or name another one: " + said);
    }

    private static Finding place(Path file, long bytes) {
        try {
            FileStore store = Files.getFileStore(file);
            String type = store.type().toLowerCase(Locale.ROOT);
            long room = store.getUsableSpace();
            String figures = file + " has " + Math.max(1, bytes / 1024) + " KiB, on " + type + " with " + room / MIB
                    + " MiB of room" + (IN_MEMORY.contains(type) ? "; it is gone when this machine restarts" : "");
            return room < ROOM_MIN
                    ? Finding.warning("file", figures + "; on a full disk nobody is elected: make room")
                    : Finding.ok("file", figures);
        } catch (IOException e) {
            return Finding.warning("file", file + ": its file system says nothing of itself: " + e.getMessage());
        }
    }

    private static void permissions(Path file, List<Finding> findings) {
        try {
            Set<PosixFilePermission> granted = Files.getPosixFilePermissions(file);
            if (granted.contains(PosixFilePermission.OTHERS_WRITE)) {
                findings.add(Finding.warning(
                        "rights",
                        "everybody on this machine may write " + file + ", and so decide who leads; chmod o-w"));
            }
        } catch (IOException | UnsupportedOperationException e) {
            // Without such permissions there is nothing to report.
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        return Jdbc.first(connection, sql, row -> String.valueOf(row.getString(1)))
                .orElse("unknown");
    }

    private static long number(Connection connection, String sql) throws SQLException {
        return Jdbc.first(connection, sql, row -> row.getLong(1)).orElse(0L);
    }
}
