package dev.mandate.internal;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.Order;
import java.time.Duration;
import java.time.Instant;

/** A leader as a record shows it; see there for the components. */
public record SeenLeader(
        String election,
        String candidate,
        String value,
        FencingToken token,
        Instant since,
        Duration lease,
        boolean foreign,
        boolean asked,
        Order order,
        boolean verified)
        implements Leader {}
