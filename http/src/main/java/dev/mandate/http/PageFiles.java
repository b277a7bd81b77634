package dev.mandate.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;

/** The static files, read once. */
final class PageFiles {
    private final Map<Route, PageFile> files = new EnumMap<>(Route.class);

    record PageFile(String contentType, byte[] bytes) {}

    PageFiles() {
        read(Route.PAGE, "page/index.html", "text/html; charset=utf-8");
        read(Route.STYLE, "page/page.css", "text/css; charset=utf-8");
        read(Route.SCRIPT, "page/page.js", "text/javascript; charset=utf-8");
        read(Route.ICON, "page/page.svg", "image/svg+xml");
        read(Route.OPENAPI, "openapi.json", Reply.JSON);
    }

    private void read(Route route, String name, String contentType) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "the resource " + name + " is missing from " + PageFiles.class.getName());
            }
            files.put(route, new PageFile(contentType, in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IllegalArgumentException if no file is served there */
    PageFile file(Route route) {
        PageFile file = files.get(route);
        if (file == null) {
            throw new IllegalArgumentException(route.name());
        }
        return file;
    }
}
