package dev.mandate.etcd;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.KeyTemplate;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreAuthority;
import dev.mandate.spi.StoreAuthority.Host;
import dev.mandate.spi.StoreSecret;
import dev.mandate.spi.StoreUrl;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code etcd://user@host:2379,host2:2379/prefix?parameter=value}; {@code etcds:} for TLS. Never puts a secret into a message. */
final class EtcdUrl {
    static final String TLS = "etcds";
    static final String PLAIN = "etcd";

    private static final int PORT = 2379;
    private static final String FORM = "etcd://host:2379,host2:2379";
    private static final List<String> TLS_ONLY = List.of("caFile", "certFile", "keyFile", "serverName");

    private EtcdUrl() {}

    static Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("key", "where elections stand: /leaders/{election} (default), or one key like MyApp/leader");
        parameters.put("format", "what stands there: json (default), or raw: the leader's value itself");
        parameters.put("passwordFile", "a file whose first line is the user's password");
        parameters.put("passwordEnv", "the environment variable that holds the user's password");
        parameters.put("caFile", "PEM file of the authorities to trust instead of the system's (etcds)");
        parameters.put("certFile", "PEM file of the client's certificate (etcds)");
        parameters.put("keyFile", "PEM file of the client's key, without a password (etcds)");
        parameters.put("serverName", "the name in the servers' certificates, if it is not the host's (etcds)");
        return parameters;
    }

    static EtcdSettings settings(StoreUrl url) {
        StoreAuthority authority = StoreAuthority.parse(url.rest(), FORM);
        List<Host> hosts =
                authority.hosts().stream().map(host -> host.orPort(PORT)).toList();
        Optional<String> password =
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
                raw(url));
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

    private static boolean raw(StoreUrl url) {
        String format = url.parameter("format").orElse("json");
        if (!format.equals("json") && !format.equals("raw")) {
            throw new IllegalArgumentException(
                    "the parameter 'format' of the store URL is '" + format + "'; write json or raw");
        }
        return format.equals("raw");
    }

    private static ChannelCredentials channel(StoreUrl url) {
        if (!url.scheme().equals(TLS)) {
            for (String name : TLS_ONLY) {
                if (url.parameter(name).isPresent()) {
                    throw new IllegalArgumentException("the parameter '" + name
                            + "' of the store URL is for TLS; write etcds: instead of etcd:, or leave it out");
                }
            }
            return InsecureChannelCredentials.create();
        }
        Optional<String> certificate = url.parameter("certFile");
        Optional<String> key = url.parameter("keyFile");
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException(
                    "the store URL gives only one of certFile and keyFile; give both or none");
        }
        TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
        try {
            if (url.parameter("caFile").isPresent()) {
                tls.trustManager(
                        PemFile.certificates("caFile", url.parameter("caFile").get()));
            }
            if (certificate.isPresent() && key.isPresent()) {
                tls.keyManager(PemFile.certificates("certFile", certificate.get()), PemFile.key("keyFile", key.get()));
            }
        } catch (IOException e) {
            throw new StoreSetupException("the TLS files of the store URL can't be read: " + e.getMessage(), e);
        }
        return tls.build();
    }
}
