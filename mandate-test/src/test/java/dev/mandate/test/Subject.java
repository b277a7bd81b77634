package dev.mandate.test;

import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** One election for {@link ElectionContract}, and what its test can do to it. */
interface Subject extends AutoCloseable {
    Election election();

    Duration lease();

    /** From now on the candidate can win. */
    void elect();

    /** A candidate called "other" leads. */
    void electOther();

    /** Ends that term, which is the candidate's. */
    void lose(Leadership leadership, EndReason reason);

    void cut();

    void heal();

    void pass(Duration time);

    /** Lets time pass until then; fails if that takes very long. */
    void until(BooleanSupplier condition);

    @Override
    void close();
}
