package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * One instant on the two clocks that processes of one machine share, in milliseconds: the wall clock, which may be set,
 * and the time since boot including suspensions, which cannot. ({@link System#nanoTime} means nothing in another
 * process and stands still during a suspension.)
 *
 * @param wall since 1970
 * @param up since the machine was booted
 */
record Instants(long wall, long up) {
    private static final Path UPTIME = Path.of("/proc/uptime");

    /**
     * The present instant.
     *
     * @throws IOException if the system does not tell the time since boot
     */
    static Instants now() throws IOException {
        return new Instants(System.currentTimeMillis(), parseUptime(Files.readString(UPTIME)));
    }

    /** {@code 12.34 56.78} is 12,340 ms. The kernel rounds down to 10 ms: early, which is safe. */
    static long parseUptime(String text) {
        int point = text.indexOf('.');
        int end = text.indexOf(' ');
        return Long.parseLong(text.substring(0, point)) * 1000
                + Long.parseLong((text.substring(point + 1, end) + "00").substring(0, 3));
    }

    Instants plus(Duration d) {
        return new Instants(wall + d.toMillis(), up + d.toMillis());
    }

    /** Whether this is {@code d} or more after {@code other} on both clocks. */
    boolean isLaterThan(Instants other, Duration d) {
        return wall - other.wall >= d.toMillis() && up - other.up >= d.toMillis();
    }

    /**
     * Whether this is {@code d} or more after {@code other} by the time since boot. The wall clock does not count:
     * after it was set back, a later deadline has an earlier wall time but must be sent all the same.
     */
    boolean prolongs(Instants other, Duration d) {
        return up - other.up >= d.toMillis();
    }

    @Override
    public String toString() {
        return wall + " " + up;
    }
}
