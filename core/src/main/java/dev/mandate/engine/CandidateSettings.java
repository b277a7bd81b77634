package dev.mandate.engine;

import dev.mandate.spi.RecordKey;

/**
 * What the machines of one client are made with, by the space of their keys. The elections' settings are also the
 * client's own: its session, its common listing and its budget for retries go by them.
 *
 * @param elections for the space of elections
 * @param registrations for every other space, whose records say that somebody is there and nothing more
 * @param places for the space of queues, whose records are registrations that end with their term
 */
public record CandidateSettings(ElectionSettings elections, ElectionSettings registrations, ElectionSettings places) {

    /** Those of a client that leaves nothing where it gave its place in a queue up, whatever the store does. */
    public CandidateSettings(ElectionSettings elections, ElectionSettings registrations) {
        this(elections, registrations, registrations.places(true));
    }

    /** Those of a client whose registrations have the lease of its elections. */
    public static CandidateSettings of(ElectionSettings elections) {
        LeaseTiming timing = elections.timing();
        return new CandidateSettings(
                elections, elections.registrations(timing.registering(timing.lease()), elections.freedNanos()));
    }

    /** Those for the machine of {@code key}. */
    ElectionSettings of(RecordKey key) {
        return switch (key.space()) {
            case RecordKey.ELECTIONS -> elections;
            case RecordKey.QUEUES -> places;
            default -> registrations;
        };
    }
}
