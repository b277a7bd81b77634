package dev.mandate.etcd;

import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority.Host;
import io.grpc.ChannelCredentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a store URL.
 *
 * @param name for messages, without secrets
 * @param hosts the members to talk to, each with a port, at least one
 * @param channel with or without TLS
 * @param serverName the name in the servers' certificates; null for the host name
 * @param user empty for none
 * @param password null for none
 * @param keys the keys of records
 * @param raw whether the key holds the leader's bare value
 * @param isEncrypted whether connections use TLS
 * @param acceptsStaleLeader whether to use clusters that {@link ClusterCheck} rejects
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

    /** The same settings for one of the members. */
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
