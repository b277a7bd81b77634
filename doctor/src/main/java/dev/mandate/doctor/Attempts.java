package dev.mandate.doctor;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** The records that we proposed, to tell them from those of others. For one thread. */
final class Attempts {
    private final Id incarnation = randomId();
    private final Duration lease;
    private final Set<Id> all = new HashSet<>();

    /** Starts with none. */
    Attempts(Duration lease) {
        this.lease = lease;
    }

    /** Proposes a new record. */
    LeaderRecord next() {
        Id attempt = randomId();
        all.add(attempt);
        return LeaderRecord.proposal("mandate-doctor", incarnation, attempt, "", lease, System.currentTimeMillis());
    }

    int count() {
        return all.size();
    }

    /** Whether we proposed {@code held}. */
    boolean isOurs(Observation.Held held) {
        return all.stream().anyMatch(held::isAttempt);
    }

    private static Id randomId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Id(random.nextLong(), random.nextLong());
    }
}
