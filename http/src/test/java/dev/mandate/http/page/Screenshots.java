package dev.mandate.http.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** What the page looked like, for people: {@code target/screenshots}. */
final class Screenshots {
    private Screenshots() {}

    static Path folder() {
        Path target = Path.of(System.getProperty("mandate.servers.dir", "target/servers"));
        try {
            return Files.createDirectories(target.resolveSibling("screenshots"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void keep(String name, String base64) {
        try {
            Files.write(folder().resolve(name + ".png"), Base64.getDecoder().decode(base64));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
