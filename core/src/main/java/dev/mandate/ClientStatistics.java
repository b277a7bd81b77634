package dev.mandate;

import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a client counted since it was opened, and how its elections stand. Immutable. Comes from {@link
 * ElectionClient#statistics()}; later versions may add methods.
 *
 * <p>Counters never fall, and start at 0 with each client. They are read one after the other while the client goes on:
 * each is right, but together they are not the state of one instant. So do not subtract one from another to learn what
 * happens now.
 *
 * <p>Not counted: the reads by which {@link ElectionClient.Builder#connect} waits for the store, what a store does
 * beyond the calls of its contract (logins, retries, requests of its watch), and answers that come after the client was
 * closed.
 */
public interface ClientStatistics {
    /**
     * Calls to the store. An unmodifiable map with every verb except {@link Verb#WATCH}, which is not a call that is
     * answered. Includes calls for registrations, queues and what this client only follows.
     */
    Map<Verb, CallStatistics> calls();

    /** Terms that began: this client was elected. Registrations and places in queues are not terms. */
    long termsBegun();

    /**
     * Terms that ended, by reason: an unmodifiable map with every reason, also those that never occurred. Counted when
     * the first of the client's parts sees the end, so soon after {@link Leadership#isValid()} first says false. Work
     * may still be stopping then.
     */
    Map<EndReason, Long> termsEnded();

    /** Terms whose work, or unclosed {@link Leadership}, outlived {@code drainTimeout}. Each counts once. */
    long overruns();

    /** Sessions that were opened in time to be used. 0 where each record has its own lease. */
    long sessionsOpened();

    /**
     * Sessions that ended before this client was closed: the store ended them, or no renewal was confirmed in time.
     * Each ends all terms under it.
     */
    long sessionsLost();

    /**
     * How often one of the client's watches may have missed something, so that the records were read again. Every
     * reopening is such a gap, too. Gaps that follow each other within {@code retryInterval} count as one.
     */
    long watchGaps();

    /** How often one of the client's watches was opened again, after it broke or could not be opened. */
    long watchReopenings();

    /** The longest {@link ElectionStatistics#renewalAge()} of all elections. Empty if this client leads nowhere. */
    Optional<Duration> oldestRenewalAge();

    /** The elections that this client campaigns in, by name; unmodifiable. Without those that it only observes. */
    List<ElectionStatistics> elections();
}
