package dev.mandate.nats;

import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority.Host;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What a store URL says.
 *
 * @param hosts the servers to talk to, each with a port, at least one
 * @param tls null without TLS
 * @param tlsFirst whether TLS begins before the server says anything
 * @param login who we are
 * @param inboxPrefix where answers are sent to
 * @param bucket the bucket's name
 * @param wanted what the bucket is made like, if there is none
 * @param keys where records stand in it
 * @param clockStep how far a server's clock may be set forward; null for a tenth of the lease, half a second at most
 * @param lease what the client will ask for; null if that is not known
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

    /** The same for one of its servers. */
    NatsSettings only(Host host) {
        return new NatsSettings(
                List.of(host), tls, tlsFirst, login, inboxPrefix, bucket, wanted, keys, clockStep, lease);
    }

    /** For messages, without secrets. */
    String name() {
        return "NATS " + String.join(",", hosts.stream().map(Host::toString).toList()) + ", bucket " + bucket;
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return name();
    }
}
