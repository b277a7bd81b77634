package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
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

    /** Fields that are not supported and must not be ignored. */
    private static final List<String> UNSUPPORTED = List.of(
            "nsc",
            "jetstream_domain",
            "jetstream_api_prefix",
            "jetstream_event_prefix",
            "user_jwt",
            "user_seed",
            "socks_proxy",
            "windows_cert_store",
            "windows_cert_match");

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
        for (String field : UNSUPPORTED) {
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
        Servers servers = servers(json);
        @Nullable String ca = path(json, "ca");
        @Nullable String cert = path(json, "cert");
        StoreTls tls = StoreTls.of(ca, cert, path(json, "key"));
        return new CliContext(
                name,
                servers.authority,
                servers.isTls || ca != null || cert != null || json.flag("tls_first"),
                json.flag("tls_first"),
                RotatingSecret.inFile(
                        "the context file " + file,
                        () -> checked(name, file, () -> {
                            Json now = json(file);
                            return login(now, servers(now).authority);
                        })),
                tls,
                json.text("inbox_prefix"));
    }

    private record Servers(StoreAuthority authority, boolean isTls) {}

    private static Servers servers(Json json) {
        String urls = json.text("url").isEmpty() ? "nats://127.0.0.1:4222" : json.text("url");
        List<String> hosts = new ArrayList<>();
        String user = "";
        boolean isTls = false;
        for (String url : urls.split(",", -1)) {
            String trimmed = url.strip();
            int colon = trimmed.indexOf("://");
            isTls |= trimmed.startsWith("tls://");
            if (colon >= 0 && !trimmed.startsWith("tls://") && !trimmed.startsWith("nats://")) {
                throw new IllegalArgumentException("its url has another scheme than nats:// and tls://");
            }
            String rest =
                    trimmed.substring(colon < 0 ? 0 : colon + 3, trimmed.length() - (trimmed.endsWith("/") ? 1 : 0));
            int at = rest.lastIndexOf('@');
            String who = rest.substring(0, at + 1);
            if (!who.isEmpty() && !user.isEmpty() && !who.equals(user)) {
                throw new IllegalArgumentException("its url names several users; name one user or none");
            }
            user = who.isEmpty() ? user : who;
            hosts.add(rest.substring(at + 1));
        }
        return new Servers(StoreAuthority.parse("//" + user + String.join(",", hosts), FORM), isTls);
    }

    private static Login login(Json json, StoreAuthority servers) {
        @Nullable String creds = path(json, "creds");
        @Nullable String seed = path(json, "nkey");
        @Nullable String token = json.text("token").isEmpty() ? null : json.text("token");
        String user = json.text("user").isEmpty() ? servers.user() : json.text("user");
        Optional<String> password =
                json.text("user").isEmpty() ? servers.password() : Optional.of(json.text("password"));
        if (json.text("user").isEmpty() && !user.isEmpty() && password.isEmpty()) {
            // NATS writes a token as a lone name before the host.
            return new Login("", null, token == null ? user : token, null);
        }
        return new Login(
                user,
                password.orElse(null),
                token,
                creds != null
                        ? Credentials.creds("creds", creds)
                        : seed != null ? Credentials.seed("nkey", seed) : null);
    }

    private static @Nullable String path(Json json, String field) {
        String path = json.text(field);
        if (path.isEmpty()) {
            return null;
        }
        return path.startsWith("~/")
                ? Path.of(System.getProperty("user.home"), path.substring(2)).toString()
                : path;
    }

    private static Path folder(Map<String, String> environment) {
        String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        return configured.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".config", "nats")
                : Path.of(configured, "nats");
    }

    private static String selected(Path folder) {
        Path file = folder.resolve("context.txt");
        String name = Files.exists(file) ? content(file).strip() : "";
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
            return Json.read(content(file).getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new StoreSetupException("the file " + file + " is no context: " + e.getMessage(), e);
        }
    }

    private static String content(Path file) {
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw new StoreSetupException("the file " + file + " has more than " + BYTES_MAX + " bytes");
            }
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + " can't be read: " + e, e);
        }
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return name;
    }
}
