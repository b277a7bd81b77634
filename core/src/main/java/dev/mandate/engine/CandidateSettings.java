package dev.mandate.engine;

import dev.mandate.spi.RecordKey;

/**
 * The settings of one client's machines, one set for each space of keys. Those of elections also govern the client's
 * session, its common listing and its budget for retries.
 *
 * @param elections for the space of elections
 * @param registrations for every other space, whose records only say that somebody is there
 * @param places for the space of queues, whose records are registrations that end with their term
 */
public record CandidateSettings(ElectionSettings elections, ElectionSettings registrations, ElectionSettings places) {

    /** Settings of a client that erases its former places in queues, whatever the store. */
    public CandidateSettings(ElectionSettings elections, ElectionSettings registrations) {
        this(elections, registrations, registrations.places(true));
    }

    /** Settings of a client whose registrations have the lease of its elections. */
    public static CandidateSettings of(ElectionSettings elections) {
        LeaseTiming timing = elections.timing();
        return new CandidateSettings(
                elections, elections.registrations(timing.registering(timing.lease()), elections.freedNanos()));
    }

    /** Settings for the machine of {@code key}. */
    ElectionSettings of(RecordKey key) {
        return switch (key.space()) {
            case RecordKey.ELECTIONS -> elections;
            case RecordKey.QUEUES -> places;
            default -> registrations;
        };
    }
}
