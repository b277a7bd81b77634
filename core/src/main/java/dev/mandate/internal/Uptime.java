package dev.mandate.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The time since boot from Linux's {@code /proc/uptime}, in hundredths of a second: it goes on during a suspension, and
 * nobody can set it. Some containers replace the file with one that may follow the wall clock; that one is not used.
 */
final class Uptime implements Clocks.Kernel {
    private static final Path FILE = Path.of("/proc/uptime");
    private static final long HUNDREDTH_NANOS = 10_000_000L;
    /** How many threads can read it side by side; a power of two. */
    private static final int STRIPES = 8;

    /** An open file. Not a channel: interrupting a thread that reads a channel closes it. */
    private static final class Stripe {
        private final RandomAccessFile file;
        private final byte[] text = new byte[64];

        Stripe(Path path) throws IOException {
            file = new RandomAccessFile(path.toFile(), "r");
        }

        synchronized long nanos() throws IOException {
            file.seek(0);
            return parse(text, file.read(text));
        }
    }

    private final Stripe[] stripes = new Stripe[STRIPES];

    Uptime(Path path) throws IOException {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe(path);
        }
    }

    /** This machine's kernel clock, or null if there is none. */
    static @Nullable Uptime ofKernel() {
        try {
            if (!Files.isReadable(FILE) || !Files.getFileStore(FILE).type().equals("proc")) {
                return null;
            }
            Uptime uptime = new Uptime(FILE);
            uptime.nanos();
            return uptime;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    @Override
    public long nanos() throws IOException {
        return stripes[System.identityHashCode(Thread.currentThread()) & STRIPES - 1].nanos();
    }

    /** Seconds with two decimals, before the first blank. */
    static long parse(byte[] text, int length) throws IOException {
        long hundredths = 0;
        int decimals = -1;
        for (int i = 0; i < length && text[i] != ' '; i++) {
            if (text[i] == '.' && decimals < 0 && i > 0) {
                decimals = 0;
            } else if (text[i] >= '0' && text[i] <= '9' && decimals < 2 && i < 16) {
                hundredths = 10 * hundredths + text[i] - '0';
                decimals += decimals < 0 ? 0 : 1;
            } else {
                decimals = -1;
                break;
            }
        }
        if (decimals != 2) {
            throw new IOException(FILE + " does not begin with seconds and two decimals");
        }
        return hundredths * HUNDREDTH_NANOS;
    }
}
