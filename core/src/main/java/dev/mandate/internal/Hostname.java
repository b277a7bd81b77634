package dev.mandate.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** The default name of this process. */
final class Hostname {
    private static final Pattern ODD = Pattern.compile("[^A-Za-z0-9._-]");
    private static final int LENGTH_MAX = 200;

    private Hostname() {}

    /** Host name and process id: {@code web-3:4711}. */
    static String andPid() {
        String plain = ODD.matcher(name()).replaceAll("_");
        return plain.substring(0, Math.min(plain.length(), LENGTH_MAX)) + ":"
                + ProcessHandle.current().pid();
    }

    private static String name() {
        String given = System.getenv("HOSTNAME");
        if (given != null && !given.isBlank()) {
            return given;
        }
        try {
            // Asks the operating system for the name; looking up its address may be slow, but is cached.
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
