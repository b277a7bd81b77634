package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreFile;
import dev.mandate.support.StoreTls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A context of the {@code nats} command: a file with servers and credentials. No message quotes its secrets.
 *
 * @param servers the parts of its URLs after the scheme, separated by commas
 * @param isTls whether one of its URLs asks for TLS, or it names files for TLS
 */
record CliContext(
        String name,
        StoreAuthority servers,
        boolean isTls,
        boolean isTlsFirst,
        RotatingSecret<Login> login,
        StoreTls tls,
        String inboxPrefix) {
    private static final int BYTES_MAX = 1 << 20;
    private static final String FORM = "nats://host:4222";
    private static final String TLS = "tls://";

    /** Fields that are not supported and must not be ignored, separated by spaces. */
    private static final String UNSUPPORTED =
            "nsc jetstream_domain jetstream_api_prefix jetstream_event_prefix user_jwt"
                    + " user_seed socks_proxy windows_cert_store windows_cert_match";

    /**
     * Reads a context.
     *
     * @param given its name; empty for the selected one
     * @param environment the environment variables; one may name the configuration folder
     * @throws IllegalArgumentException if {@code given} is not a context name
     * @throws StoreSetupException if it doesn't exist, can't be read, or needs what is not supported here; names the
     *     file and the field
     */
    static CliContext read(String given, Map<String, String> environment) {
        Path folder = folder(environment);
        String name = given.isEmpty() ? selected(folder) : given;
        if (name.startsWith(".") || name.contains("/") || name.contains("\\") || name.contains("..")) {
            throw new IllegalArgumentException("the parameter 'context' of the store URL is '" + name
                    + "'; write the name of a context, as nats context ls shows them");
        }
        Path file = folder.resolve("context").resolve(name + ".json");
        Json json = json(file);
        for (String field : UNSUPPORTED.split(" ")) {
            if (!json.text(field).isEmpty()) {
                throw new StoreSetupException("the context '" + name + "' in " + file + " has '" + field
                        + "', which can't be used here; write a URL with servers and credentials instead");
            }
        }
        return checked(name, file, () -> read(name, file, json));
    }

    private static <T> T checked(String name, Path file, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw new StoreSetupException("the context '" + name + "' in " + file + ": " + e.getMessage(), e);
        }
    }

    private static CliContext read(String name, Path file, Json json) {
        @Nullable String ca = path(json, "ca");
        @Nullable String cert = path(json, "cert");
        boolean isTlsFirst = json.flag("tls_first");
        return new CliContext(
                name,
                servers(json),
                isTlsFirst || ca != null || cert != null || urls(json).anyMatch(url -> url.startsWith(TLS)),
                isTlsFirst,
                RotatingSecret.inFile("the context file " + file, () -> checked(name, file, () -> login(json(file)))),
                StoreTls.of(ca, cert, path(json, "key")),
                json.text("inbox_prefix"));
    }

    private static Stream<String> urls(Json json) {
        String urls = json.text("url").isEmpty() ? "nats://127.0.0.1:4222" : json.text("url");
        return Stream.of(urls.split(",", -1)).map(String::strip);
    }

    private static StoreAuthority servers(Json json) {
        List<String> hosts = new ArrayList<>();
        String user = "";
        for (String url : urls(json).toList()) {
            String rest = url.replaceFirst("^(tls|nats)://", "").replaceFirst("/$", "");
            if (rest.contains("://")) {
                throw new IllegalArgumentException("its url has another scheme than nats:// and tls://");
            }
            int at = rest.lastIndexOf('@');
            String who = rest.substring(0, at + 1);
            if (!who.isEmpty() && !user.isEmpty() && !who.equals(user)) {
                throw new IllegalArgumentException("its url names several users; name one user or none");
            }
            user = who.isEmpty() ? user : who;
            hosts.add(rest.substring(at + 1));
        }
        return StoreAuthority.parse("//" + user + String.join(",", hosts), FORM);
    }

    private static Login login(Json json) {
        StoreAuthority servers = servers(json);
        @Nullable String creds = path(json, "creds");
        @Nullable String seed = path(json, "nkey");
        @Nullable String token = json.text("token").isEmpty() ? null : json.text("token");
        boolean isInUrl = json.text("user").isEmpty();
        String user = isInUrl ? servers.user() : json.text("user");
        @Nullable String password = isInUrl ? servers.password().orElse(null) : json.text("password");
        if (isInUrl && !user.isEmpty() && password == null) {
            // NATS writes a token as a lone name before the host.
            return new Login("", null, token == null ? user : token, null);
        }
        return new Login(user, password, token, credentials(creds, seed));
    }

    private static @Nullable Credentials credentials(@Nullable String creds, @Nullable String seed) {
        if (creds != null) {
            return Credentials.creds("creds", creds);
        }
        return seed == null ? null : Credentials.seed("nkey", seed);
    }

    private static @Nullable String path(Json json, String field) {
        String path = json.text(field);
        String home = System.getProperty("user.home");
        return path.isEmpty() ? null : path.startsWith("~/") ? home + path.substring(1) : path;
    }

    private static Path folder(Map<String, String> environment) {
        String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        String parent = configured.isEmpty() ? System.getProperty("user.home") + "/.config" : configured;
        return Path.of(parent, "nats");
    }

    private static String selected(Path folder) {
        Path file = folder.resolve("context.txt");
        String name = Files.exists(file) ? new String(content(file), StandardCharsets.UTF_8).strip() : "";
        if (name.isEmpty()) {
            throw new StoreSetupException("the store URL asks for the selected context and none is, by " + file
                    + "; write context=NAME, or select one: nats context select NAME");
        }
        return name;
    }

    private static Json json(Path file) {
        if (!Files.exists(file)) {
            throw new StoreSetupException("there is no context in " + file + "; nats context ls shows those there are");
        }
        try {
            return Json.read(content(file));
        } catch (IllegalArgumentException e) {
            throw new StoreSetupException("the file " + file + " is no context: " + e.getMessage(), e);
        }
    }

    private static byte[] content(Path file) {
        return StoreFile.read("the file " + file + " ", file, BYTES_MAX);
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return name;
    }
}
