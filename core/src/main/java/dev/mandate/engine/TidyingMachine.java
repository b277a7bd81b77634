package dev.mandate.engine;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a registrant removes of its service: vacant records, which releases leave, and, where observers judge, records
 * whose holder crashed. Nobody else would know of them.
 *
 * <ol>
 *   <li>Every ten minutes it lists the service; the first time at random within them, so that clients which started
 *       together do not tidy together.
 *   <li>It erases a vacant record on the basis that was seen.
 *   <li>Where observers judge, a record is dead when its liveness did not change for the longest lease it was seen
 *       with, by this machine's clock. The machine releases it on the basis that was seen, then erases it. It ends
 *       nobody's session: the holder may be late and lead elections under it.
 *   <li>Only time in which this client kept its own record counts: an outage or a suspension that ended it may have
 *       kept all others from renewing, too. While it has none, it judges nobody.
 *   <li>It removes at most {@value #REMOVED_MAX} records in a round. A failure ends the round; a refused record has
 *       changed, and is left alone.
 *   <li>It leaves alone the records of this client and of other programs.
 * </ol>
 *
 * <p>One request is under way at a time. Never throws on what a store may do. Not safe for use from several threads.
 */
public final class TidyingMachine {
    /** The length of a round. */
    public static final long ROUND_NANOS = 600_000_000_000L;

    /** How many records are removed in a round at most. */
    public static final int REMOVED_MAX = 100;

    /** How many records are remembered from one round to the next. */
    private static final int REMEMBERED_MAX = 20_000;

    private static final int PAGES_MAX = 10_000;

    /** A request to the store. */
    public sealed interface Request {}

    /** List one page of the service. */
    public record ListPage(Cursor from) implements Request {}

    /** Release a record whose holder died. */
    public record Release(Observation.Held basis) implements Request {}

    /** Erase a vacant record. */
    public record Erase(Observation.Vacant basis) implements Request {}

    /** Since when a record has not changed, and the longest lease it was seen with. */
    private record Quiet(Liveness liveness, long sinceNanos, long leaseNanos) {}

    private final Expiry expiry;
    private final Id incarnation;
    private final Entropy entropy;

    private final Map<RecordKey, Quiet> quiet = new HashMap<>();
    private final Set<RecordKey> listed = new HashSet<>();
    private final Queue<Observation> rubbish = new ArrayDeque<>();
    private @Nullable Request pending;
    private long keptSinceNanos = Long.MAX_VALUE;
    private long roundAtNanos;
    private long askedNanos;
    private int pages;

    /**
     * A machine whose first round comes within ten minutes.
     *
     * @param incarnation this client's, whose records are left alone
     */
    public TidyingMachine(Expiry expiry, Id incarnation, Entropy entropy, Now now) {
        this.expiry = expiry;
        this.incarnation = incarnation;
        this.entropy = entropy;
        this.roundAtNanos = now.monotonicNanos() + entropy.below(ROUND_NANOS);
    }

    /** When {@link #proceed} is wanted, unless a request is under way. */
    public long wakeAtNanos() {
        return pending == null ? roundAtNanos : Long.MAX_VALUE;
    }

    /** How many records it remembers from one round to the next. */
    int remembered() {
        return quiet.size();
    }

    /**
     * Since when this client has kept a record there without interruption, on the monotonic clock; {@code
     * Long.MAX_VALUE} if it has none. Call this before each event.
     */
    public void kept(long sinceNanos) {
        if (sinceNanos != keptSinceNanos) {
            keptSinceNanos = sinceNanos;
            // Their holders may have come back together with this client.
            rubbish.removeIf(seen -> seen instanceof Observation.Held);
        }
    }

    /** The request to send now; null for none. */
    public @Nullable Request proceed(Now now) {
        if (pending != null || now.monotonicNanos() < roundAtNanos) {
            return null;
        }
        // Randomly a little less than a round, so that clients which tidied together once do not for ever.
        roundAtNanos = now.monotonicNanos() + ROUND_NANOS - entropy.below(ROUND_NANOS / 10);
        rubbish.clear();
        listed.clear();
        pages = 0;
        return ask(new ListPage(Cursor.START), now);
    }

    private @Nullable Request ask(@Nullable Request request, Now now) {
        pending = request;
        askedNanos = now.monotonicNanos();
        return request;
    }

    /** The requested page came. Returns the next request; null for none. */
    public @Nullable Request listed(Page<Observation> page, Now now) {
        if (!(pending instanceof ListPage asked)) {
            return null;
        }
        page.items().forEach(seen -> look(seen, now.monotonicNanos()));
        Cursor after = page.after();
        boolean isLast = after == null;
        boolean goesOn = after != null && !after.equals(asked.from()) && ++pages < PAGES_MAX;
        if (after != null && goesOn && rubbish.size() < REMOVED_MAX) {
            return ask(new ListPage(after), now);
        }
        if (isLast) {
            quiet.keySet().retainAll(listed);
        }
        return next(now);
    }

    private void look(Observation seen, long nowNanos) {
        if (seen instanceof Observation.Vacant) {
            throwAway(seen);
        } else if (seen instanceof Observation.Held held && mayDie(held)) {
            listed.add(held.key());
            Quiet before = quiet.get(held.key());
            long leaseNanos = LeaseTiming.boundedNanos(held.record().lease());
            if (before == null && quiet.size() >= REMEMBERED_MAX) {
                return;
            }
            if (before == null || !before.liveness().equals(held.liveness())) {
                // Counted from the answer: the holder may have renewed after the request.
                quiet.put(held.key(), new Quiet(held.liveness(), nowNanos, leaseNanos));
                return;
            }
            Quiet same = new Quiet(before.liveness(), before.sinceNanos(), Math.max(before.leaseNanos(), leaseNanos));
            quiet.put(held.key(), same);
            // And until the request: the answer may show a state as old as that.
            long sinceNanos = Math.max(same.sinceNanos(), keptSinceNanos);
            if (sinceNanos <= askedNanos && askedNanos - sinceNanos >= same.leaseNanos()) {
                throwAway(held);
            }
        }
    }

    private void throwAway(Observation seen) {
        if (rubbish.size() < REMOVED_MAX) {
            rubbish.add(seen);
        }
    }

    private boolean mayDie(Observation.Held held) {
        return expiry == Expiry.OBSERVER_JUDGES
                && !held.isForeign()
                && !held.record().incarnation().equals(incarnation);
    }

    private @Nullable Request next(Now now) {
        Observation seen = rubbish.poll();
        if (seen instanceof Observation.Vacant vacant) {
            return ask(new Erase(vacant), now);
        }
        return ask(seen instanceof Observation.Held held ? new Release(held) : null, now);
    }

    /** The requested write was answered. Returns the next request; null for none. */
    public @Nullable Request wrote(WriteOutcome outcome, Now now) {
        boolean isReleased = pending instanceof Release && outcome instanceof WriteOutcome.Written;
        if (isReleased && ((WriteOutcome.Written) outcome).now() instanceof Observation.Vacant vacant) {
            return ask(new Erase(vacant), now);
        }
        return next(now);
    }

    /** The request failed, or was not answered in time: the round is over. */
    public void failed() {
        pending = null;
        rubbish.clear();
    }
}
