package dev.mandate.peers.state;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Recall;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A voter's directory: {@code voter.state}, and a lock that keeps a second process out.
 *
 * <p>The state is written to another file, flushed, renamed, and the directory flushed: after a crash the file has the
 * former state or the new one. A SHA-256 over all of it exposes a damaged file, of which nothing is used. Assumes an
 * honest disk, and that nobody restores an older file. One thread loads and saves, and blocks on the disk; any thread
 * closes, and does not wait for a write.
 */
public final class StateDirectory implements AutoCloseable {
    private static final String FILE = "voter.state";
    private static final String NEW = "voter.state.new";
    private static final String LOCK = "voter.lock";
    private static final byte[] MAGIC = "mandate voter 1\n".getBytes(StandardCharsets.US_ASCII);
    /** Before the digit of the version. */
    private static final int NAME_BYTES = MAGIC.length - 2;

    private static final int DIGEST_BYTES = 32;
    private static final int FILE_BYTES_MAX = 1 << 16;

    /**
     * Directories open in this process. The system releases a lock when a process closes <em>any</em> channel to the
     * file (POSIX), so a second channel must not even be opened.
     */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel lockFile;
    private final FileLock lock;

    private final Object closing = new Object();
    private boolean isSaving;
    private boolean isClosed;

    private StateDirectory(Path directory, FileChannel lockFile, FileLock lock) {
        this.directory = directory;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Opens a directory, creating it if necessary, and locks it until {@link #close} or the end of the process.
     *
     * @throws StoreSetupException if it can't be written, or another process has it
     */
    public static StateDirectory open(Path directory) {
        Path real;
        try {
            Files.createDirectories(directory);
            real = directory.toRealPath();
        } catch (IOException e) {
            throw unwritable(directory, e);
        }
        if (!OPEN.add(real)) {
            throw inUse(directory);
        }
        FileChannel lockFile = null;
        boolean isOpen = false;
        try {
            lockFile = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = lockFile.tryLock();
            if (lock == null) {
                throw inUse(directory);
            }
            StateDirectory opened = new StateDirectory(real, lockFile, lock);
            isOpen = true;
            return opened;
        } catch (OverlappingFileLockException e) {
            // Held by this process, under another class loader.
            throw inUse(directory);
        } catch (IOException e) {
            throw unwritable(directory, e);
        } finally {
            if (!isOpen) {
                release(lockFile, real);
            }
        }
    }

    private static StoreSetupException unwritable(Path directory, IOException e) {
        return new StoreSetupException(
                "state directory '" + directory + "' can't be written: " + e + "; name one that this process may write",
                e);
    }

    private static StoreSetupException inUse(Path directory) {
        return new StoreSetupException(
                "state directory '" + directory + "' is locked: this member runs already, or another one has the same"
                        + " directory; leave out self and state to be a guest, or give every member its own state");
    }

    private static StoreSetupException unreadable(Path path, IOException e) {
        return new StoreSetupException(
                "'" + path + "' can't be read: " + e + "; make it readable, or check the disk", e);
    }

    /** Lets others in. */
    private static void release(@Nullable FileChannel lockFile, Path real) {
        try {
            if (lockFile != null) {
                lockFile.close();
            }
        } catch (IOException ignored) {
            // Nothing was written through it; the end of the process releases its lock.
        } finally {
            OPEN.remove(real);
        }
    }

    /**
     * Reads the state.
     *
     * @param list names self and all voters, in their order. If the file has another list, what it knows of other
     *     voters is left out
     * @throws StoreSetupException if there is a file that can't be read: the voter must not go on as if it were lost
     */
    public Recall load(Group group, String list) {
        try {
            // The process that renamed the file may have ended before it was sure that the disk has the name.
            forceDirectory();
        } catch (IOException e) {
            throw unreadable(directory, e);
        }
        byte[] bytes;
        try {
            Path file = directory.resolve(FILE);
            if (Files.exists(file) && Files.size(file) > FILE_BYTES_MAX) {
                return new Recall.Damaged(file + " is too long for a state file");
            }
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new Recall.Missing();
        } catch (IOException e) {
            throw unreadable(directory.resolve(FILE), e);
        }
        if (bytes.length > MAGIC.length
                && Arrays.equals(bytes, 0, NAME_BYTES, MAGIC, 0, NAME_BYTES)
                && bytes[NAME_BYTES] != MAGIC[NAME_BYTES]) {
            return otherVersion("it begins with another number");
        }
        int bodyEnds = bytes.length - DIGEST_BYTES;
        if (bodyEnds < MAGIC.length
                || !Arrays.equals(bytes, bodyEnds, bytes.length, sha256(bytes, bodyEnds), 0, DIGEST_BYTES)
                || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            return new Recall.Damaged(directory.resolve(FILE) + " is damaged: its checksum is wrong");
        }
        try {
            ByteBuffer body = ByteBuffer.wrap(bytes, MAGIC.length, bodyEnds - MAGIC.length);
            byte[] former = new byte[body.getInt()];
            body.get(former);
            byte[] state = new byte[body.remaining()];
            body.get(state);
            DurableState found = DurableState.read(state);
            boolean isSame = new String(former, StandardCharsets.UTF_8).equals(list)
                    && found.known().size() == group.voters();
            return new Recall.Intact(isSame ? found : found.inGroup(group));
        } catch (RuntimeException e) {
            return otherVersion(e.getMessage());
        }
    }

    private Recall otherVersion(@Nullable String why) {
        return new Recall.Damaged(directory.resolve(FILE) + " is of another version: " + why);
    }

    /**
     * Replaces the state; it is on the disk when this returns.
     *
     * @throws IOException if it is not, or may not be: the next {@link #load} shows the former state or this one; or if
     *     this is closed
     */
    public void save(DurableState state, String list) throws IOException {
        synchronized (closing) {
            if (isClosed || !lock.isValid()) {
                // It would undo what the next process has promised.
                throw new IOException("'" + directory + "' is closed, and another process may have it");
            }
            isSaving = true;
        }
        try {
            write(state, list);
        } finally {
            synchronized (closing) {
                isSaving = false;
                if (isClosed) {
                    release(lockFile, directory);
                }
            }
        }
    }

    private void write(DurableState state, String list) throws IOException {
        byte[] body = state.toBytes();
        byte[] name = list.getBytes(StandardCharsets.UTF_8);
        ByteBuffer file = ByteBuffer.allocate(MAGIC.length + 4 + name.length + body.length + DIGEST_BYTES);
        file.put(MAGIC).putInt(name.length).put(name).put(body);
        file.put(sha256(file.array(), file.position())).flip();
        Path fresh = directory.resolve(NEW);
        try (FileChannel out = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (file.hasRemaining()) {
                out.write(file);
            }
            out.force(true);
        }
        try {
            Files.move(fresh, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("'" + directory + "' is on a file system that can't replace a file at once", e);
        }
        forceDirectory();
    }

    /** A rename is on the disk once its directory is. */
    private void forceDirectory() throws IOException {
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static byte[] sha256(byte[] bytes, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, 0, length);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Lets another process in, at once or when the write that is under way has ended. Idempotent; any thread. */
    @Override
    public void close() {
        synchronized (closing) {
            if (!isClosed && !isSaving) {
                release(lockFile, directory);
            }
            isClosed = true;
        }
    }
}
