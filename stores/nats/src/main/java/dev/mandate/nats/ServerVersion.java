package dev.mandate.nats;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a server, as it says it. */
record ServerVersion(int major, int minor, int patch, String said) {
    /** Older ones were never tried. */
    static final String OLDEST = "2.9";

    /** See {@link #hasTimesToLive}, for messages. */
    static final String TIMES_TO_LIVE = "2.11.10 (or 2.12.1)";

    private static final Pattern VERSION =
            Pattern.compile("v?([0-9]{1,6})[.]([0-9]{1,6})(?:[.]([0-9]{1,6}))?([.-].*)?");

    /** One that can't be read is older than all. */
    static ServerVersion of(String said) {
        Matcher parts = VERSION.matcher(said);
        return parts.matches()
                ? new ServerVersion(
                        Integer.parseInt(parts.group(1)),
                        Integer.parseInt(parts.group(2)),
                        parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3)),
                        said)
                : new ServerVersion(0, 0, 0, said);
    }

    private boolean isAtLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || major == wantedMajor && minor >= wantedMinor;
    }

    boolean isKnown() {
        return isAtLeast(2, 9);
    }

    /**
     * Before, a cluster gave one expected revision to several writers: 2.9 nearly always, the first ones of 2.10 where a key was new (nats-server
     * pull requests 5794 and 6194). The first version that was tried and did not.
     */
    boolean keepsReplicasApart() {
        return isAtLeast(2, 11) || major == 2 && minor == 10 && patch >= 27;
    }

    /** From here on the first revision of a bucket can be chosen. */
    boolean choosesFirstRevision() {
        return isAtLeast(2, 10);
    }

    /**
     * Servers that put a marker in place of what expires do so whatever stands there by then: a record written at that moment is acknowledged and
     * erased. Nothing is written on what a release leaves while it expires that way: from 2.11.7 on it is only removed (nats-server commit
     * 94b0fb3e5). Before 2.11 there are no markers.
     */
    boolean removesReleasesAlone() {
        return isAtLeast(2, 12) || !isAtLeast(2, 11) || patch >= 7;
    }

    /**
     * Before 2.11 a key's own time to live was taken and forgotten. Up to 2.11.9, and in 2.12.0, a key could outlive it, for ever even: it was made as
     * long as that of the markers (nats-server pull requests 6741 and 6818), was not looked at where markers came later (issue 6920) or after a
     * restart, and not while other keys were written all the time, as renewals are (pull request 7344).
     */
    boolean hasTimesToLive() {
        return isAtLeast(2, 13) || isAtLeast(2, 12) && patch >= 1 || major == 2 && minor == 11 && patch >= 10;
    }

    @Override
    public String toString() {
        return said;
    }
}
