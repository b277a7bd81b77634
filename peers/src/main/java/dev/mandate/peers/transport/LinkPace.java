package dev.mandate.peers.transport;

import java.time.Duration;

/**
 * How fast links are made and lost ones noticed. All are more than zero.
 *
 * @param connect how long a name may take to resolve, and after that how long a connection may take
 * @param handshake how long a handshake may take, on either side
 * @param backoffMin the shortest pause before a member is dialled again; pauses double from there
 * @param backoffMax the longest pause; each is shortened at random, by up to a half
 * @param probeAfter how long the other side may be silent after a payload was sent before it is asked if it is there
 * @param probeTimeout how long it may take to answer that before the connection is closed
 */
public record LinkPace(
        Duration connect,
        Duration handshake,
        Duration backoffMin,
        Duration backoffMax,
        Duration probeAfter,
        Duration probeTimeout) {
    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

    /**
     * @throws IllegalArgumentException if a value is zero, negative or more than a day, or the pauses are in the wrong
     *     order; names it
     */
    public LinkPace {
        requirePositive("connect", connect);
        requirePositive("handshake", handshake);
        requirePositive("backoffMin", backoffMin);
        requirePositive("backoffMax", backoffMax);
        requirePositive("probeAfter", probeAfter);
        requirePositive("probeTimeout", probeTimeout);
        if (backoffMin.compareTo(backoffMax) > 0) {
            throw new IllegalArgumentException(
                    "backoffMin is " + backoffMin + "; it must be at most backoffMax, " + backoffMax);
        }
    }

    /**
     * Suitable values for elections with this lease: a failed link is back, or found dead, well within it. A link is
     * probed after a third of it without an answer, which is the default pause between renewals.
     */
    public static LinkPace of(Duration lease) {
        return new LinkPace(
                share(lease, 4, Duration.ofMillis(500), TWO_SECONDS),
                share(lease, 4, Duration.ofMillis(500), TWO_SECONDS),
                share(lease, 100, Duration.ofMillis(20), Duration.ofMillis(100)),
                share(lease, 5, Duration.ofMillis(200), TWO_SECONDS),
                share(lease, 3, Duration.ofMillis(500), Duration.ofMinutes(1)),
                share(lease, 6, Duration.ofMillis(500), TWO_SECONDS));
    }

    private static Duration share(Duration lease, long part, Duration min, Duration max) {
        Duration share = lease.dividedBy(part);
        return share.compareTo(min) < 0 ? min : share.compareTo(max) > 0 ? max : share;
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isZero() || value.isNegative() || value.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than zero, at most a day");
        }
    }
}
