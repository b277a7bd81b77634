package dev.mandate.support;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store's URL that names its servers and the user: {@code //user:password@host:port,host2:port/path}. Its
 * {@link #toString()} has no secret.
 */
public final class StoreAuthority {
    private static final String HOST = "([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%a-z]+])(:[0-9]{1,5})?";
    private static final int PORT_MAX = 65_535;

    private final String user;
    private final @Nullable String password;
    private final List<Host> hosts;
    private final String path;

    private StoreAuthority(String user, @Nullable String password, List<Host> hosts, String path) {
        this.user = user;
        this.password = password;
        this.hosts = hosts;
        this.path = path;
    }

    /**
     * A server.
     *
     * @param name as written: a name, an IPv4 address, or an IPv6 address in brackets
     * @param port 1 to 65535, or 0 if none is given
     */
    public record Host(String name, int port) {
        /** This host, with {@code other} as its port if it has none. */
        public Host orPort(int other) {
            return port == 0 ? new Host(name, other) : this;
        }

        /** The host as a URL spells it. */
        @Override
        public String toString() {
            return port == 0 ? name : name + ":" + port;
        }
    }

    /**
     * Reads the text after the scheme.
     *
     * @param rest begins with {@code //}
     * @param form what a correct URL of this store looks like, for the message
     * @throws IllegalArgumentException if a host is missing or malformed, or user or password badly encoded; quotes no
     *     secret
     */
    public static StoreAuthority parse(String rest, String form) {
        if (!rest.startsWith("//")) {
            throw new IllegalArgumentException("the store URL names no host; write " + form);
        }
        int slash = rest.indexOf('/', 2);
        if (slash >= 0 && rest.indexOf('@', slash) >= 0) {
            // Not quoted: the text before it may be the beginning of a password.
            throw new IllegalArgumentException(
                    "the store URL has an @ after a /; write / as %2F and @ as %40 where they are no separators");
        }
        String authority = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
        int at = authority.lastIndexOf('@');
        String userInfo = at < 0 ? "" : authority.substring(0, at);
        int colon = userInfo.indexOf(':');
        return new StoreAuthority(
                decode("user", colon < 0 ? userInfo : userInfo.substring(0, colon)),
                colon < 0 ? null : decode("password", userInfo.substring(colon + 1)),
                hosts(authority.substring(at + 1)),
                slash < 0 ? "" : rest.substring(slash + 1));
    }

    private static List<Host> hosts(String text) {
        List<Host> hosts = new ArrayList<>();
        for (String host : text.split(",", -1)) {
            int colon = host.matches(HOST) && !host.endsWith("]") ? host.lastIndexOf(':') : -1;
            int port = colon < 0 ? 0 : Integer.parseInt(host.substring(colon + 1));
            if (!host.matches(HOST) || port > PORT_MAX || colon >= 0 && port == 0) {
                throw new IllegalArgumentException("the store URL names the host '" + host
                        + "'; write a name or an address ([in brackets] if it has colons),"
                        + " and after a colon a port up to " + PORT_MAX);
            }
            hosts.add(new Host(colon < 0 ? host : host.substring(0, colon), port));
        }
        return List.copyOf(hosts);
    }

    /**
     * Decodes percent-encoded text of a store URL.
     *
     * @param what what to call it in the message, which does not quote it
     * @throws IllegalArgumentException if it is badly encoded
     */
    public static String decode(String what, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // The cause would quote what may be a password.
            throw new IllegalArgumentException(
                    "the " + what + " in the store URL is badly percent-encoded; write % as %25");
        }
    }

    /** The user, decoded; empty if the URL names none. */
    public String user() {
        return user;
    }

    /** The password in the URL, decoded: a secret. See {@link StoreSecret} for better places. */
    public Optional<String> password() {
        return Optional.ofNullable(password);
    }

    /** The servers in the order given, at least one. */
    public List<Host> hosts() {
        return hosts;
    }

    /** The servers as a URL spells them, separated by commas. */
    public String hostsText() {
        return String.join(",", hosts.stream().map(Host::toString).toList());
    }

    /** The text after the first slash behind the hosts, as written; empty if there is none. */
    public String path() {
        return path;
    }

    /** The servers; no user, no secret. */
    @Override
    public String toString() {
        return hostsText();
    }
}
