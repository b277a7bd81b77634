package dev.mandate.consul;

import dev.mandate.spi.StoreUrl;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreTls;
import dev.mandate.support.UrlChoices;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** {@code consul://host:8500?parameter=value}, and {@code consuls://host:8501} for TLS. */
final class ConsulUrl {
    static final String PLAIN = "consul";
    static final String TLS = "consuls";

    static final Map<String, String> PARAMETERS = parameters();

    /** Prefix of all records but elections. */
    private static final String OTHERS = "mandate/";

    /**
     * Begins an escape. Consul 1.21.5 accepts only letters, digits and {@code , _ . / - ? & =} in keys, and no two dots
     * in a row. Later versions reject anything that looks like a path traversal, even percent-encoded.
     */
    private static final char ESCAPE = '=';

    private static final String PLAIN_CHARACTERS = "-_";
    private static final String BESIDE = "=mandate";
    private static final String KEY = "service/" + KeyTemplate.ELECTION + "/leader";
    private static final Duration LOCK_DELAY = Duration.ofSeconds(15);
    private static final Duration LOCK_DELAY_MAX = Duration.ofSeconds(60);
    private static final int PORT_PLAIN = 8500;
    private static final int PORT_TLS = 8501;

    private ConsulUrl() {}

    private static Map<String, String> parameters() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("lock-delay", "how long Consul refuses all locks after a session ended: 15s unless given, 0s to 60s");
        all.put("key", "the key of an election: " + KEY + " unless given");
        all.put("format", "json (default), or raw: the key holds the leader's value alone");
        all.put("checks", "node checks that end the session early, separated by commas: serfHealth; none unless given");
        all.put("service-checks", "service checks that end the session early, separated by commas");
        all.put("dc", "the datacenter, if it is not the agent's own; needs node");
        all.put("node", "the node that the session belongs to, if it is not the agent's own");
        all.put("ns", "the namespace (Consul Enterprise)");
        all.put("tokenFile", "a file whose first line is the ACL token");
        all.put("tokenEnv", "the environment variable that holds the ACL token; CONSUL_HTTP_TOKEN unless given");
        all.put("caFile", "PEM file of the authorities to trust (consuls)");
        all.put("certFile", "PEM file of the client's certificate (consuls)");
        all.put("keyFile", "PEM file of the client's key, without a password (consuls)");
        return Map.copyOf(all);
    }

    static ConsulSettings settings(StoreUrl url) {
        String form = url.scheme() + "://host:" + (isTls(url) ? PORT_TLS : PORT_PLAIN);
        StoreAuthority authority = StoreAuthority.parse(url.rest(), form);
        if (!authority.user().isEmpty() || authority.password().isPresent()) {
            throw new IllegalArgumentException(
                    "the store URL names a user; Consul has none: give its ACL token by tokenFile or tokenEnv");
        }
        if (authority.hosts().size() > 1) {
            throw new IllegalArgumentException("the store URL names the hosts " + authority.hostsText()
                    + "; name one agent, best the one on this machine: it finds the servers");
        }
        if (!authority.path().isEmpty()) {
            throw new IllegalArgumentException("the store URL has a path, '/" + authority.path()
                    + "'; leave it out, and give the keys of elections by key=" + KEY);
        }
        ConsulSettings settings = new ConsulSettings(
                agent(url, authority.hosts().get(0)),
                ConsulToken.of(url).orElse(null),
                query(url),
                node(url),
                list(url, "checks"),
                list(url, "service-checks"),
                url.duration("lock-delay", LOCK_DELAY, Duration.ZERO, LOCK_DELAY_MAX),
                keys(url),
                UrlChoices.isRaw(url),
                tls(url));
        url.lease().filter(lease -> !settings.covers(lease)).ifPresent(lease -> {
            throw new IllegalArgumentException("the store URL: " + settings.uncovered(lease));
        });
        return settings;
    }

    private static boolean isTls(StoreUrl url) {
        return url.scheme().equals(TLS);
    }

    private static URI agent(StoreUrl url, StoreAuthority.Host host) {
        return isTls(url)
                ? URI.create("https://" + host.orPort(PORT_TLS))
                : URI.create("http://" + host.orPort(PORT_PLAIN));
    }

    private static String query(StoreUrl url) {
        StringBuilder query = new StringBuilder();
        for (String name : List.of("dc", "ns")) {
            url.parameter(name).ifPresent(value -> {
                if (!value.matches("[A-Za-z0-9_-]{1,64}")) {
                    throw UrlChoices.refused(name, value, "letters, digits, - and _, at most 64");
                }
                query.append(query.length() == 0 ? "" : "&")
                        .append(name)
                        .append('=')
                        .append(value);
            });
        }
        return query.toString();
    }

    private static String node(StoreUrl url) {
        String node = url.parameter("node").orElse("");
        if (!node.matches("[A-Za-z0-9._-]{0,255}")) {
            throw UrlChoices.refused("node", node, "the name of a node");
        }
        if (node.isEmpty() && url.parameter("dc").isPresent()) {
            throw new IllegalArgumentException("the store URL gives 'dc' without 'node': a session belongs to a node of"
                    + " its datacenter, and the agent's own may be of another; add node=NAME");
        }
        return node;
    }

    private static List<String> list(StoreUrl url, String name) {
        String text = url.parameter(name).orElse("");
        if (text.isEmpty()) {
            return List.of();
        }
        List<String> list = Stream.of(text.split(",", -1)).map(String::trim).toList();
        if (list.stream().anyMatch(id -> !id.matches("[A-Za-z0-9:._/-]{1,255}"))) {
            throw UrlChoices.refused(name, text, "ids of checks, separated by commas");
        }
        return list;
    }

    private static KeyTemplate keys(StoreUrl url) {
        String text = url.parameter("key").orElse(KEY);
        KeyTemplate keys = KeyTemplate.of(text)
                .withEscape(ESCAPE, PLAIN_CHARACTERS)
                .withDotsBetween()
                .withBeside(BESIDE)
                .withOthersBelow(OTHERS);
        boolean isPath = Stream.of(text.split("/", -1)).anyMatch(part -> part.equals(".") || part.equals(".."));
        if (text.startsWith("/") || text.contains("//") || isPath) {
            throw UrlChoices.refused(
                    "key",
                    text,
                    "a key that does not begin with '/' and has no '//', '.' or '..' between slashes: Consul's"
                            + " HTTP interface has no others");
        }
        return keys;
    }

    private static @Nullable SSLContext tls(StoreUrl url) {
        if (isTls(url)) {
            return StoreTls.of(url).context();
        }
        StoreTls.requireNone(url, List.of(StoreTls.CA_FILE, StoreTls.CERT_FILE, StoreTls.KEY_FILE), TLS + ":");
        return null;
    }
}
