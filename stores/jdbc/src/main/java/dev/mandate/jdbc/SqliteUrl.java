package dev.mandate.jdbc;

import dev.mandate.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** {@code sqlite:/absolute/file.db}, {@code sqlite:relative.db}; a {@code %} in a name is written as %25. */
final class SqliteUrl {
    private SqliteUrl() {}

    static Path path(String rest, StoreUrl url) {
        String text = rest;
        if (text.startsWith("//")) {
            if (!text.startsWith("///")) {
                throw new IllegalArgumentException("the store URL " + url
                        + " names a host, but SQLite is a file on this machine; write sqlite:/path/file.db");
            }
            text = text.substring(2);
        }
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the store URL names no file; write sqlite:/path/file.db");
        }
        if (text.startsWith(":memory:") || text.startsWith("file:")) {
            throw new IllegalArgumentException("the store URL " + url
                    + " names no plain file, so no other process could take part; write sqlite:/path/file.db");
        }
        String name = decoded(text);
        if (name.contains("?")) {
            throw new IllegalArgumentException("the store URL names the file '" + name
                    + "', but the driver takes what follows a ? for settings; choose a name without");
        }
        try {
            return Path.of(name).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("the store URL names no possible file: " + e.getMessage(), e);
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the file name in the store URL is badly percent-encoded; write % as %25", e);
        }
    }
}
