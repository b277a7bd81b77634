package dev.mandate.jdbc;

import dev.mandate.StoreSetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/**
 * Opens connections to one SQLite file.
 *
 * <p>Java never opens the file itself: closing it would release the locks that SQLite holds for the whole process.
 */
final class SqliteSource {
    private static final Set<String> REMOTE = Set.of(
            "nfs",
            "nfs3",
            "nfs4",
            "cifs",
            "smb",
            "smb2",
            "smb3",
            "smbfs",
            "afs",
            "afpfs",
            "webdav",
            "ceph",
            "lustre",
            "beegfs",
            "glusterfs",
            "gpfs",
            "ocfs2",
            "fuse.sshfs",
            "fuse.glusterfs",
            "fuse.s3fs",
            "fuse.rclone",
            "vboxsf",
            "prl_fs",
            "9p",
            "virtiofs",
            "fuse.vmhgfs-fuse");

    private final @Nullable Path path;
    private final boolean create;
    private final @Nullable DataSource dataSource;

    /** The file behind the first connection of a data source; null before that. */
    private volatile @Nullable Object firstFile;

    private SqliteSource(@Nullable Path path, boolean create, @Nullable DataSource dataSource) {
        this.path = path;
        this.create = create;
        this.dataSource = dataSource;
    }

    /** A file; created if missing and {@code create} is true. */
    static SqliteSource file(Path path, boolean create) {
        return new SqliteSource(path, create, null);
    }

    /** The user's data source. */
    static SqliteSource of(DataSource dataSource) {
        return new SqliteSource(null, false, dataSource);
    }

    /** Whether tables may be created. True for a data source: opening the store decides that. */
    boolean mayCreate() {
        return create || dataSource != null;
    }

    String name() {
        return path == null ? "SQLite data source" : "SQLite file " + path;
    }

    /** The file, if known without asking the database. */
    @Nullable
    Path path() {
        return path;
    }

    long maxAgeNanos() {
        return dataSource == null ? Long.MAX_VALUE : TimeUnit.MINUTES.toNanos(5);
    }

    Link open(long millis) throws SQLException {
        if (dataSource != null) {
            return shared(dataSource.getConnection());
        }
        Path file = file();
        requireUsable(file);
        try {
            SQLiteConfig config = new SQLiteConfig();
            config.setBusyTimeout((int) Math.min(Integer.MAX_VALUE, millis));
            if (!create) {
                config.resetOpenMode(SQLiteOpenMode.CREATE);
            }
            Link link = new Link(config.createConnection("jdbc:sqlite:" + file));
            link.path = file;
            link.file = key(file);
            return link;
        } catch (NoClassDefFoundError e) {
            throw new StoreSetupException(
                    name() + ": the driver of SQLite is missing; add org.xerial:sqlite-jdbc to the class path", e);
        } catch (LinkageError e) {
            throw new StoreSetupException(
                    name() + ": the native library of SQLite can't be loaded (" + e.getMessage()
                            + "); set the system property org.sqlite.tmpdir to a directory programs may be run from",
                    e);
        }
    }

    /** A connection from a data source, which gets it back unchanged. */
    private Link shared(Connection theirs) throws SQLException {
        boolean ready = false;
        try {
            boolean autoCommit = theirs.getAutoCommit();
            if (!autoCommit) {
                // SQLite does not change these settings inside a transaction.
                theirs.setAutoCommit(true);
            }
            Path file = fileOf(theirs);
            Path directory = file == null ? null : file.toAbsolutePath().getParent();
            if (file != null && directory != null) {
                requireLocal(directory);
                requireFirstFile(file);
            }
            String[] restoring =
                    Jdbc.restoring(theirs, "busy_timeout", "synchronous").toArray(String[]::new);
            Link link = new Link(theirs, connection -> {
                Jdbc.run(connection, restoring);
                if (!autoCommit) {
                    connection.setAutoCommit(false);
                }
            });
            link.path = file;
            link.file = file == null ? null : key(file);
            ready = true;
            return link;
        } finally {
            if (!ready) {
                new Link(theirs).close();
            }
        }
    }

    /** Rejects a replaced file: pooled connections may still be to the old one, and nothing shows which. */
    private void requireFirstFile(Path file) {
        Object now = key(file);
        Object first = firstFile;
        if (first == null) {
            firstFile = now;
        } else if (!first.equals(now)) {
            throw new StoreSetupException(
                    name() + ": the file " + file + " was deleted or replaced while it was in use, and"
                            + " connections of the data source may be to the former one; close it, and open the store with a new one");
        }
    }

    private Path file() {
        if (path == null) {
            throw new IllegalStateException("a data source has no path");
        }
        return path;
    }

    private void requireUsable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || Files.isDirectory(file)) {
            throw new StoreSetupException(name() + " is a directory; name a file in it");
        }
        if (!Files.isDirectory(directory)) {
            throw new StoreSetupException(name() + ": the directory " + directory + " does not exist; create it");
        }
        requireLocal(directory);
    }

    private void requireLocal(Path directory) {
        try {
            String type = Files.getFileStore(directory).type().toLowerCase(Locale.ROOT);
            if (isRemote(type)) {
                throw new StoreSetupException(name() + " is on a network file system (" + type
                        + "), where SQLite's locks do not hold; use a local disk, or PostgreSQL");
            }
        } catch (IOException e) {
            // An unknown type can't be rejected.
        }
    }

    /** Whether a file system of that type, in lower case, may be shared between machines. */
    static boolean isRemote(String type) {
        return REMOTE.contains(type);
    }

    /** Why the file can't be opened, for messages. */
    String cannotOpen() {
        Path file = path;
        if (file == null) {
            return "the file can't be opened; does its directory exist and may this process write there?";
        }
        if (!Files.exists(file)) {
            return create
                    ? "the file can't be made; let this process write to its directory"
                    : "the file does not exist; check the path (the first candidate makes it, unless create=false)";
        }
        return "the file can't be opened; let this process read and write it and its directory";
    }

    /**
     * Rejects a file that its path no longer names: others would elect leaders in the new one.
     *
     * @throws SQLException to get a new connection
     */
    void requireSameFile(Link link) throws SQLException {
        Path file = link.path;
        if (file != null && link.file != null && !link.file.equals(key(file))) {
            throw new SQLException(
                    "the file was deleted or replaced while it was in use; opening what stands there now");
        }
    }

    private static @Nullable Object key(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** The file behind a connection; null for one in memory. */
    static @Nullable Path fileOf(Connection connection) throws SQLException {
        String name = Jdbc.first(
                        connection, "SELECT file FROM pragma_database_list WHERE name = 'main'", SqliteSource::text)
                .orElse("");
        return name.isEmpty() ? null : Path.of(name);
    }

    private static String text(ResultSet row) throws SQLException {
        String text = row.getString(1);
        return text == null ? "" : text;
    }
}
