package dev.mandate.nats;

import dev.mandate.spi.StoreUrl;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreAuthority.Host;
import dev.mandate.support.StoreTls;
import dev.mandate.support.UrlChoices;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * {@code nats://user@host:4222,host2:4222/BUCKET?parameter=value}; {@code tls:} for TLS;
 * {@code nats:///BUCKET?context=NAME} to use a context of the {@code nats} command. Messages contain no secrets.
 */
final class NatsUrl {
    static final String PLAIN = "nats";
    static final String TLS = "tls";
    static final String BUCKET = "ELECTIONS";

    private static final int PORT = 4222;
    private static final String FORM = "nats://host:4222,host2:4222/" + BUCKET;
    private static final String CONTEXT = "context";
    private static final int REPLICAS_MAX = 5;
    private static final Duration TTL_MIN = Duration.ofSeconds(1);
    private static final Duration TTL_MAX = Duration.ofDays(1);
    private static final Duration STEP_MAX = Duration.ofMinutes(1);
    private static final String INBOX = "_INBOX";
    private static final List<String> TLS_ONLY =
            List.of(StoreTls.CA_FILE, StoreTls.CERT_FILE, StoreTls.KEY_FILE, "tlsFirst");

    /** The form of a bucket's keys. */
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_=/-]+([.][A-Za-z0-9_=/-]+)*");

    private NatsUrl() {}

    static Map<String, String> parameters() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(CONTEXT, "a context of the nats command, instead of hosts and credentials; empty for the selected one");
        all.put("key", "the key of an election in the bucket: {election} (default), or one key like demo");
        all.put("expiring", "what ends a lease: key (from server 2.11.10), or bucket; default: what the bucket admits");
        all.put(
                "ttl",
                "time to live of a bucket that is made: 10m, or twice a longer lease; with expiring=bucket the lease");
        all.put(
                "replicas",
                "how many servers keep a bucket that is made, 1 (default) to 5; at least that many if given");
        all.put("create", "whether a missing bucket is made: true (default), or false");
        all.put("storage", "file (default), or memory: a bucket that a restart of the servers empties");
        all.put("clockStep", "how far a server's clock may be set forward: a tenth of the lease, at most 500ms");
        all.put("passwordFile", "a file whose first line is the user's password");
        all.put("passwordEnv", "the environment variable that holds the user's password");
        all.put("tokenFile", "a file whose first line is the token");
        all.put("tokenEnv", "the environment variable that holds the token");
        all.put("credsFile", "a creds file: a user's JWT and seed");
        all.put("nkeyFile", "a file with the seed of a user's NKey");
        all.put(StoreTls.CA_FILE, "PEM file of the authorities to trust instead of the JVM's (tls)");
        all.put(StoreTls.CERT_FILE, "PEM file of the client's certificate (tls)");
        all.put(StoreTls.KEY_FILE, "PEM file of the client's key, without a password (tls)");
        all.put("tlsFirst", "true if the servers begin with TLS before they say anything (tls)");
        all.put("inboxPrefix", "what the subjects of answers begin with: " + INBOX + " unless given");
        return all;
    }

    static NatsSettings settings(StoreUrl url) {
        return settings(url, System.getenv());
    }

    static NatsSettings settings(StoreUrl url, Map<String, String> environment) {
        Optional<String> named = url.parameter(CONTEXT);
        return named.isPresent() ? ofContext(url, CliContext.read(named.get(), environment)) : ofHosts(url);
    }

    private static NatsSettings ofHosts(StoreUrl url) {
        StoreAuthority authority = StoreAuthority.parse(url.rest(), FORM);
        boolean isTls = url.scheme().equals(TLS);
        if (!isTls) {
            StoreTls.requireNone(url, TLS_ONLY, TLS + ":");
        }
        return settings(
                url,
                authority.hosts(),
                isTls ? StoreTls.of(url).context() : null,
                isTls && url.flag("tlsFirst", false),
                Login.of(url, authority),
                url.parameter("inboxPrefix").orElse(INBOX),
                authority.path());
    }

    private static NatsSettings ofContext(StoreUrl url, CliContext context) {
        String rest = url.rest().replaceFirst("^/*", "");
        if (url.rest().matches("//[^/].*")) {
            throw new IllegalArgumentException("the store URL names hosts and the context '" + context
                    + "', which names them, too; write " + url.scheme() + ":///" + BUCKET + "?context=" + context);
        }
        refuseBeside(
                url,
                context,
                "credentials",
                List.of("passwordFile", "passwordEnv", "tokenFile", "tokenEnv", "credsFile", "nkeyFile"));
        refuseBeside(url, context, "the files for TLS", TLS_ONLY);
        boolean isTls = context.isTls() || url.scheme().equals(TLS);
        return settings(
                url,
                context.servers().hosts(),
                isTls ? context.tls().context() : null,
                context.isTlsFirst(),
                context.login(),
                url.parameter("inboxPrefix").orElse(context.inboxPrefix().isEmpty() ? INBOX : context.inboxPrefix()),
                rest);
    }

    private static void refuseBeside(StoreUrl url, CliContext context, String what, List<String> names) {
        for (String name : names) {
            if (url.parameter(name).isPresent()) {
                throw new IllegalArgumentException("the store URL gives '" + name + "' and the context '" + context
                        + "', which has " + what + "; leave out one of them");
            }
        }
    }

    private static NatsSettings settings(
            StoreUrl url,
            List<Host> hosts,
            @Nullable SSLContext tls,
            boolean tlsFirst,
            RotatingSecret<Login> login,
            String inboxPrefix,
            String path) {
        if (!inboxPrefix.matches("[A-Za-z0-9_-]{1,64}([.][A-Za-z0-9_-]{1,64}){0,8}")) {
            throw UrlChoices.refused(
                    "inboxPrefix", inboxPrefix, "words of letters, digits, - and _, with dots between them");
        }
        return new NatsSettings(
                hosts.stream().map(host -> host.orPort(PORT)).toList(),
                tls,
                tlsFirst,
                login,
                inboxPrefix,
                bucket(StoreAuthority.decode("path", path)),
                wanted(url),
                keys(url),
                step(url),
                url.lease().orElse(null));
    }

    private static String bucket(String path) {
        String name = path.isEmpty() ? BUCKET : path;
        if (!name.matches("[A-Za-z0-9_-]{1,128}")) {
            throw new IllegalArgumentException("the path of the store URL, '" + name
                    + "', is no name of a bucket: those have letters, digits, - and _, at most 128");
        }
        return name;
    }

    private static Keys keys(StoreUrl url) {
        String text = url.parameter("key").orElse(KeyTemplate.ELECTION);
        Keys keys = new Keys(text);
        if (!KEY.matcher(text.replace(KeyTemplate.ELECTION, "x")).matches()) {
            throw UrlChoices.refused(
                    "key", text, "letters, digits, - _ = / and dots between them: a bucket has no other keys");
        }
        return keys;
    }

    private static WantedBucket wanted(StoreUrl url) {
        String replicas = url.parameter("replicas").orElse("");
        if (!replicas.matches("[1-" + REPLICAS_MAX + "]?")
                || url.parameter("replicas").isPresent() && replicas.isEmpty()) {
            throw UrlChoices.refused("replicas", replicas, "1 to " + REPLICAS_MAX + ", best 3");
        }
        boolean isExpiringGiven = url.parameter("expiring").isPresent();
        boolean isKeys = UrlChoices.of(url, "expiring", "key", "bucket").equals("key");
        return new WantedBucket(
                url.mayCreate(),
                replicas.isEmpty() ? 0 : Integer.parseInt(replicas),
                url.parameter("ttl").isPresent() ? url.duration("ttl", TTL_MIN, TTL_MIN, TTL_MAX) : null,
                isExpiringGiven ? (isKeys ? Expiring.KEY : Expiring.BUCKET) : null,
                UrlChoices.of(url, "storage", "file", "memory").equals("memory"));
    }

    private static @Nullable Duration step(StoreUrl url) {
        return url.parameter("clockStep").isPresent()
                ? url.duration("clockStep", Duration.ZERO, Duration.ZERO, STEP_MAX)
                : null;
    }
}
