package dev.mandate.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The paths that are served. */
enum Route {
    PAGE("/"),
    STYLE("/page.css"),
    SCRIPT("/page.js"),
    ICON("/page.svg"),
    HEALTH("/healthz"),
    PROBE("/am-i-leader"),
    ELECTIONS("/v1/elections"),
    ELECTION("/v1/elections/{name}"),
    LEADER("/v1/elections/{name}/leader"),
    SERVICES("/v1/services"),
    SERVICE("/v1/services/{name}"),
    EVENTS("/v1/events"),
    OPENAPI("/v1/openapi.json");

    private static final String NAME = "{name}";

    private final String template;
    private final List<String> segments;

    Route(String template) {
        this.template = template;
        this.segments = List.of(template.substring(1).split("/", -1));
    }

    /** The path, with {@code {name}} in place of a name. */
    String template() {
        return template;
    }

    /**
     * What a path leads to.
     *
     * @param name the name in the path, decoded; empty if the route has none
     */
    record Target(Route route, String name) {}

    /**
     * What {@code path}, as it was sent, leads to; null for nothing. A {@code /} in a name is sent as {@code %2F}.
     *
     * @throws BadRequestException if the path is malformed
     */
    static @Nullable Target find(String path) throws BadRequestException {
        List<String> given = PathText.segments(path);
        for (Route each : values()) {
            String name = each.match(given);
            if (name != null) {
                return new Target(each, name);
            }
        }
        return null;
    }

    private @Nullable String match(List<String> given) {
        if (given.size() != segments.size()) {
            return null;
        }
        String name = "";
        for (int i = 0; i < segments.size(); i++) {
            if (segments.get(i).equals(NAME)) {
                name = given.get(i);
            } else if (!segments.get(i).equals(given.get(i))) {
                return null;
            }
        }
        return segments.contains(NAME) && name.isEmpty() ? null : name;
    }
}
