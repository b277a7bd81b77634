package dev.mandate.nats;

import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority.Host;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a store URL.
 *
 * @param hosts the servers to talk to, each with a port, at least one
 * @param tls null without TLS
 * @param tlsFirst whether TLS begins before the server says anything
 * @param login the credentials
 * @param inboxPrefix the prefix of subjects that receive answers
 * @param bucket the bucket's name
 * @param wanted how to create a missing bucket, and what an existing one must have
 * @param keys maps records to keys of the bucket
 * @param clockStep how far a server's clock may be set forward; null for a tenth of the lease, at most 500 ms
 * @param lease the lease that the client will use; null if not known
 */
record NatsSettings(
        List<Host> hosts,
        @Nullable SSLContext tls,
        boolean tlsFirst,
        RotatingSecret<Login> login,
        String inboxPrefix,
        String bucket,
        WantedBucket wanted,
        Keys keys,
        @Nullable Duration clockStep,
        @Nullable Duration lease) {

    /** The same settings for one of the servers. */
    NatsSettings only(Host host) {
        return new NatsSettings(
                List.of(host), tls, tlsFirst, login, inboxPrefix, bucket, wanted, keys, clockStep, lease);
    }

    /** The servers and the bucket, for messages; no secret. */
    String name() {
        return "NATS " + String.join(",", hosts.stream().map(Host::toString).toList()) + ", bucket " + bucket;
    }

    @Override
    public String toString() {
        return name();
    }
}
