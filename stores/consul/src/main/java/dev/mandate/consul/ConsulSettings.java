package dev.mandate.consul;

import dev.mandate.support.KeyTemplate;
import dev.mandate.support.RotatingSecret;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a store URL.
 *
 * @param agent scheme, host and port
 * @param token the token, which may be rotated; null for none
 * @param query the part common to all requests: datacenter and namespace, encoded; empty or like {@code dc=east}
 * @param node the node that sessions belong to; empty for the agent's own
 * @param checks node checks that end a session; empty for none
 * @param serviceChecks service checks that end a session; empty for none
 * @param tls null without TLS
 */
record ConsulSettings(
        URI agent,
        @Nullable RotatingSecret<String> token,
        String query,
        String node,
        List<String> checks,
        List<String> serviceChecks,
        Duration lockDelay,
        KeyTemplate keys,
        boolean isRaw,
        @Nullable SSLContext tls) {

    boolean hasChecks() {
        return !checks.isEmpty() || !serviceChecks.isEmpty();
    }

    /**
     * Whether the lock-delay excludes others while a leader whose session ended early may believe for {@code lease}.
     */
    boolean covers(Duration lease) {
        return !hasChecks() || lockDelay.compareTo(lease) >= 0;
    }

    /** The message for a lease that is not covered. */
    String uncovered(Duration lease) {
        return "checks end a session at any time, and then only the lock-delay keeps others out while its leader still"
                + " believes: the lock-delay is " + lockDelay.toMillis() + " ms, the lease " + lease.toMillis()
                + " ms; make lock-delay at least as long as the lease, or leave out the checks";
    }

    /** The agent, for people. */
    String name() {
        return "Consul at " + agent.getAuthority();
    }
}
