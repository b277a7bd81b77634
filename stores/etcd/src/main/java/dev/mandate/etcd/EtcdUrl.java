package dev.mandate.etcd;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreAuthority.Host;
import dev.mandate.support.StoreSecret;
import dev.mandate.support.StoreTls;
import dev.mandate.support.UrlChoices;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;

/** {@code etcd://user@host:2379,host2:2379/prefix?parameter=value}; {@code etcds:} for TLS. No message has secrets. */
final class EtcdUrl {
    static final String TLS = "etcds";
    static final String PLAIN = "etcd";
    static final String STALE_LEADER = "staleLeader";

    private static final int PORT = 2379;
    private static final String FORM = "etcd://host:2379,host2:2379";
    private static final List<String> TLS_ONLY =
            List.of(StoreTls.CA_FILE, StoreTls.CERT_FILE, StoreTls.KEY_FILE, "serverName");

    private EtcdUrl() {}

    static Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("key", "the key of an election: /leaders/{election} (default), or one key like MyApp/leader");
        parameters.put("format", "what the key holds: json (default), or raw: the leader's value alone");
        parameters.put(
                STALE_LEADER,
                "refuse (default) or accept clusters of versions in which a stalled leader revokes live leases");
        parameters.put("passwordFile", "a file whose first line is the user's password");
        parameters.put("passwordEnv", "the environment variable that holds the user's password");
        parameters.put("caFile", "PEM file of the authorities to trust instead of the JVM's (etcds)");
        parameters.put("certFile", "PEM file of the client's certificate (etcds)");
        parameters.put("keyFile", "PEM file of the client's key, without a password (etcds)");
        parameters.put("serverName", "the name in the servers' certificates, if it is not the host's (etcds)");
        return parameters;
    }

    static EtcdSettings settings(StoreUrl url) {
        StoreAuthority authority = StoreAuthority.parse(url.rest(), FORM);
        List<Host> hosts =
                authority.hosts().stream().map(host -> host.orPort(PORT)).toList();
        Optional<RotatingSecret<String>> password =
                StoreSecret.of(url, "password", authority.password().orElse(null));
        if (password.isPresent() && authority.user().isEmpty()) {
            throw new IllegalArgumentException(
                    "the store URL gives a password and no user; write user@ before the host");
        }
        if (password.isEmpty() && !authority.user().isEmpty()) {
            throw new IllegalArgumentException("the store URL gives the user '" + authority.user()
                    + "' and no password; add passwordFile or passwordEnv");
        }
        return new EtcdSettings(
                "etcd " + String.join(",", hosts.stream().map(Host::toString).toList()),
                hosts,
                channel(url),
                url.parameter("serverName").orElse(null),
                authority.user(),
                password.orElse(null),
                keys(url, StoreAuthority.decode("path", authority.path())),
                UrlChoices.isRaw(url),
                url.scheme().equals(TLS),
                UrlChoices.of(url, STALE_LEADER, "refuse", "accept").equals("accept"));
    }

    private static KeyTemplate keys(StoreUrl url, String path) {
        String prefix = path.isEmpty() ? "/" : "/" + (path.endsWith("/") ? path : path + "/");
        RecordKey.requireName("the path of the store URL", prefix);
        if (prefix.contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException(
                    "the path of the store URL is '" + path + "'; braces belong into the parameter 'key'");
        }
        return KeyTemplate.of(url.parameter("key").orElse(prefix + "leaders/" + KeyTemplate.ELECTION))
                .withOthersBelow(prefix + "mandate/");
    }

    private static ChannelCredentials channel(StoreUrl url) {
        if (!url.scheme().equals(TLS)) {
            StoreTls.requireNone(url, TLS_ONLY, TLS + ":");
            return InsecureChannelCredentials.create();
        }
        StoreTls files = StoreTls.of(url);
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        if (!files.trustManagers().isEmpty()) {
            tls.trustManager(files.trustManagers().toArray(TrustManager[]::new));
        }
        if (!files.keyManagers().isEmpty()) {
            tls.keyManager(files.keyManagers().toArray(KeyManager[]::new));
        }
        return tls.build();
    }
}
