package dev.mandate.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Which host names mean this machine for every resolver. Pure. */
final class Hosts {
    private static final Pattern IPV4 = Pattern.compile("127(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");

    private Hosts() {}

    /**
     * Whether {@code host}, without a port, is {@code localhost} or a loopback address. Looks up no name: an attacker
     * may control what a name server says.
     */
    static boolean isLoopback(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.equals("localhost") || IPV4.matcher(lower).matches() || isLoopback6(lower);
    }

    private static boolean isLoopback6(String host) {
        if (!IPV6.matcher(host).matches() || !host.contains(":")) {
            return false;
        }
        try {
            // A literal is not looked up.
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The host in the value of a {@code Host} header: the part before the port. */
    static String withoutPort(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon < 0 || authority.indexOf(']') > colon ? authority : authority.substring(0, colon);
    }
}
