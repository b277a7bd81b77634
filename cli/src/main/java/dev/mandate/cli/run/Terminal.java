package dev.mandate.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The terminal that this process was started from, if any. */
final class Terminal {
    private final boolean wasThere = isThere();

    /** Whether there was one, and it has been closed. */
    boolean isGone() {
        return wasThere && !isThere();
    }

    private static boolean isThere() {
        try {
            Files.newInputStream(Path.of("/dev/tty")).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
