package dev.mandate.demo;

import java.time.Duration;

/**
 * One change of leaders.
 *
 * @param how what happened to the former leader: {@code killed}, {@code frozen} or {@code resigned}
 * @param gap from that until this process heard of the new leader
 */
record HandOver(String how, String from, String to, long oldToken, long newToken, Duration gap) {
    boolean isWithin(Duration bound) {
        return !gap.isNegative() && gap.compareTo(bound) <= 0 && newToken > oldToken;
    }
}
