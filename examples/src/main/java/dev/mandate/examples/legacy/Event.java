package dev.mandate.examples.legacy;

/**
 * A row of the legacy table.
 *
 * @param id rises with every event
 * @param payload whatever the old program wrote
 */
public record Event(long id, String payload) {}
