package dev.mandate.etcd;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version that a member reports, and its known bugs. */
record EtcdVersion(int major, int minor, int patch) {
    /** A suffix marks a build or a prerelease, like 3.6.0-rc.1. */
    private static final Pattern FORM = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})\\b.*");

    /** The bug that 3.4.31 and 3.5.13 fixed, in words. */
    static final String REVOKES_EARLY =
            "a leader of the cluster that stalls for longer than a lease revokes live leases when it goes on"
                    + " (mended in 3.4.31 and 3.5.13)";

    /** Parses a version; empty if it is not one of etcd's. */
    static Optional<EtcdVersion> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new EtcdVersion(number(matcher, 1), number(matcher, 2), number(matcher, 3)))
                : Optional.empty();
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    /** Whether the conformance tests and trials run on it. */
    boolean isTested() {
        return is(3, 4) || is(3, 5);
    }

    /** Whether the data of its members may diverge. */
    boolean mayDisagree() {
        return is(3, 5) && patch < 3;
    }

    /** Whether an unknowingly deposed leader ends leases that its successor keeps alive: etcd-io/etcd#15247. */
    boolean revokesEarly() {
        if (is(3, 4)) {
            return patch < 31;
        }
        return is(3, 5) ? patch < 13 : major < 3 || major == 3 && minor < 4;
    }

    private boolean is(int wantedMajor, int wantedMinor) {
        return major == wantedMajor && minor == wantedMinor;
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
