package dev.mandate.engine;

import dev.mandate.spi.Id;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Unanswered acquires that may still land, and would then be kept alive by their session.
 *
 * @param all at most one for each session
 */
record LateAcquires(List<Late> all) {
    static final LateAcquires NONE = new LateAcquires(List.of());

    /**
     * An acquire under {@code session} that may still land: of any of several attempts if {@code attempt} is null. Once
     * the attempt was {@code seen}, only a second copy of its request may, and not after {@code untilNanos}.
     */
    record Late(SessionLease session, @Nullable Id attempt, boolean seen, long untilNanos) {}

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** It is unknown whether the acquire of {@code attempt} landed: watch until its session is over. */
    LateAcquires with(Attempt attempt) {
        SessionLease under = attempt.session();
        if (under != null && !under.isOver()) {
            boolean alone = all.stream().noneMatch(late -> late.session() == under);
            return with(under, new Late(under, alone ? attempt.id() : null, false, 0));
        }
        return this;
    }

    /** A read shows {@code attempt}: only a copy of its request may still land, until its time-out has passed. */
    LateAcquires landed(Attempt attempt, long askedAtNanos) {
        SessionLease under = attempt.session();
        if (under != null && !all.isEmpty() && all.contains(new Late(under, attempt.id(), false, 0))) {
            boolean last = askedAtNanos - attempt.copiesUntilNanos() >= 0;
            return with(under, last ? null : new Late(under, attempt.id(), true, attempt.copiesUntilNanos()));
        }
        return this;
    }

    /** A read shows none of ours. */
    LateAcquires notSeen(long askedAtNanos) {
        return all.isEmpty()
                ? this
                : of(all.stream()
                        .filter(late -> !late.seen() || askedAtNanos - late.untilNanos() < 0)
                        .toList());
    }

    /** A session is over: what lands under it does not live. */
    LateAcquires over(SessionLease session) {
        return all.isEmpty() ? this : with(session, null);
    }

    private LateAcquires with(SessionLease session, @Nullable Late instead) {
        List<Late> changed = new ArrayList<>(all);
        changed.removeIf(late -> late.session() == session);
        if (instead != null) {
            changed.add(instead);
        }
        return of(changed);
    }

    private static LateAcquires of(List<Late> all) {
        return all.isEmpty() ? NONE : new LateAcquires(List.copyOf(all));
    }
}
