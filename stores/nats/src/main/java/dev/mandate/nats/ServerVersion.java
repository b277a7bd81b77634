package dev.mandate.nats;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version that a server reports. */
record ServerVersion(int major, int minor, int patch, String said) {
    /** Older ones were never tested. */
    static final String OLDEST = "2.9";

    /** For messages: the first versions with {@link #hasTimesToLive}. */
    static final String TIMES_TO_LIVE = "2.11.10 (or 2.12.1)";

    private static final Pattern VERSION =
            Pattern.compile("v?([0-9]{1,6})[.]([0-9]{1,6})(?:[.]([0-9]{1,6}))?([.-].*)?");

    /** Parses a version; an unreadable one counts as the oldest. */
    static ServerVersion of(String said) {
        Matcher parts = VERSION.matcher(said);
        if (!parts.matches()) {
            return new ServerVersion(0, 0, 0, said);
        }
        int patch = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return new ServerVersion(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)), patch, said);
    }

    private boolean isAtLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || major == wantedMajor && minor >= wantedMinor;
    }

    boolean isKnown() {
        return isAtLeast(2, 9);
    }

    /**
     * Whether a cluster lets only one of several writers with the same expected revision win. 2.9 nearly always
     * admitted several, early 2.10 did for new keys (nats-server pull requests 5794 and 6194). 2.10.27 is the first
     * tested version that did not.
     */
    boolean keepsReplicasApart() {
        return isAtLeast(2, 11) || major == 2 && minor == 10 && patch >= 27;
    }

    /** Whether the first revision of a bucket can be chosen. */
    boolean choosesFirstRevision() {
        return isAtLeast(2, 10);
    }

    /**
     * Whether the marker of a release is only removed when it expires. Earlier 2.11 servers replace it by a marker of
     * their own, even if a record was written at that moment, which is acknowledged and erased. From 2.11.7 on they
     * only remove it (nats-server commit 94b0fb3e5). Before 2.11 there are no markers.
     */
    boolean removesReleasesAlone() {
        return isAtLeast(2, 12) || !isAtLeast(2, 11) || patch >= 7;
    }

    /**
     * Whether keys can have their own time to live. Before 2.11 servers accept and ignore it. Up to 2.11.9, and in
     * 2.12.0, a key could outlive it, even for ever: servers stretched it to that of the markers (nats-server pull
     * requests 6741 and 6818), and did not check it where markers were enabled later (issue 6920), after a restart, or
     * while other keys were constantly written, as by renewals (pull request 7344).
     */
    boolean hasTimesToLive() {
        return isAtLeast(2, 13) || isAtLeast(2, 12) && patch >= 1 || major == 2 && minor == 11 && patch >= 10;
    }

    @Override
    public String toString() {
        return said;
    }
}
