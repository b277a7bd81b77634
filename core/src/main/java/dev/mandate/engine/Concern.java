package dev.mandate.engine;

import java.util.Arrays;

/** Why a machine is on a {@link Roll}. The ordinal is the index of its place in {@link ElectionMachine#rollPlaces}. */
enum Concern {
    /** It needs the news of sessions. */
    SESSIONS,
    /** The common listing has to show it. */
    LISTING,
    /** It holds something, and so depends on clocks. */
    HOLDING,
    /** It reads by itself when the watch over elections may have missed something. */
    WATCH;

    /** The place of a machine that is not on the roll. */
    static final int NOWHERE = -1;

    private static final int COUNT = values().length;

    /** The places of a machine that is on no roll. */
    static int[] nowhere() {
        int[] places = new int[COUNT];
        Arrays.fill(places, NOWHERE);
        return places;
    }
}
