package dev.mandate.peers.transport;

import dev.mandate.support.StoreAuthority.Host;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/**
 * Where a member listens, which is also its name in the group. Equal if host and port are, not if a name and an address
 * lead to the same host.
 *
 * @param host a name in lower case, an IPv4 address, or an IPv6 address in brackets in its one canonical form
 * @param port 1 to 65535
 */
public record PeerAddress(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /**
     * Brings {@code host} into its canonical form.
     *
     * @throws IllegalArgumentException if the port is out of range, or brackets hold no IPv6 address; names the value
     */
    public PeerAddress {
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException(
                    "the port of '" + host + "' is " + port + "; it must be from 1 to " + PORT_MAX);
        }
        host = canonical(host);
    }

    /** The address of a host of a URL, which must have a port. */
    public static PeerAddress of(Host host) {
        return new PeerAddress(host.name(), host.port());
    }

    private static String canonical(String host) {
        if (!host.startsWith("[")) {
            return host.toLowerCase(Locale.ROOT);
        }
        try {
            // Text in brackets is never looked up as a name.
            return "[" + InetAddress.getByName(host).getHostAddress() + "]";
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("'" + host + "' is no IPv6 address; write one like [2001:db8::1]", e);
        }
    }

    /** Whether the text alone shows that it is the local machine: {@code localhost}, {@code 127.…} or {@code [::1]}. */
    public boolean isLoopback() {
        return host.equals("localhost") || host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[0:0:0:0:0:0:0:1]");
    }

    /** The form in a URL: {@code host:port}. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
