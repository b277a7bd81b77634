package dev.mandate.etcd;

import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority.Host;
import io.grpc.ChannelCredentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a store URL says.
 *
 * @param name for messages, without secrets
 * @param hosts the members to talk to, each with a port, at least one
 * @param channel with or without TLS
 * @param serverName the name in the servers' certificates; null for that of the host
 * @param user empty for none
 * @param password null for none
 * @param keys where records stand
 * @param raw whether the leader's value itself stands in the key
 * @param isEncrypted whether by TLS
 * @param acceptsStaleLeader whether clusters are used that {@link ClusterCheck} refuses
 */
record EtcdSettings(
        String name,
        List<Host> hosts,
        ChannelCredentials channel,
        @Nullable String serverName,
        String user,
        @Nullable RotatingSecret<String> password,
        KeyTemplate keys,
        boolean raw,
        boolean isEncrypted,
        boolean acceptsStaleLeader) {

    /** The same for one of the members alone. */
    EtcdSettings only(Host host) {
        return new EtcdSettings(
                "etcd " + host,
                List.of(host),
                channel,
                serverName,
                user,
                password,
                keys,
                raw,
                isEncrypted,
                acceptsStaleLeader);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return name;
    }
}
