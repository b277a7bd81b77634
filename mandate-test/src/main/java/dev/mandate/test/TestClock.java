package dev.mandate.test;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/** The wall clock of a {@link TestHost}. */
final class TestClock extends Clock {
    private final TestHost host;
    private final ZoneId zone;

    TestClock(TestHost host, ZoneId zone) {
        this.host = host;
        this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new TestClock(host, other);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(host.wallMillis());
    }
}
