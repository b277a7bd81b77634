package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One candidate in one election: a total, deterministic function with memory. No event may throw in any role.
 *
 * <p>Each call does three things in this order: it ends what is <em>over</em> at {@code now}, handles the event, and
 * starts what is <em>due</em>. What is due depends on the role and the clock alone, never on the event, so a lost
 * event costs only time.
 *
 * <table>
 * <caption>Transitions. "mine" = a record with the live attempt; "stop" = its lease cell's stop has passed</caption>
 * <tr><th>role</th><th>what happens</th><th>next</th></tr>
 * <tr><td>Idle</td><td>Campaign, Observe</td><td>Following</td></tr>
 * <tr><td></td><td>too many others became idle since, and its last term ended longer ago than any cool-down lasts</td>
 * <td>forgotten</td></tr>
 * <tr><td>Following</td><td>campaigns, no work runs, no pause, session open, the key is vacant or its holder was silent
 * for its own L, and its turn has come if there is an order</td>
 * <td>Acquiring, with a new attempt: the older one is superseded</td></tr>
 * <tr><td></td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows another attempt of this incarnation</td>
 * <td>Following; it is removed under its basis</td></tr>
 * <tr><td></td><td>placed, while it sees a vacancy that it may take</td>
 * <td>Following, with that {@linkplain Turn turn}</td></tr>
 * <tr><td></td><td>a hint of a surely later term: passed to observers; other news: read</td><td>Following</td></tr>
 * <tr><td></td><td>nothing left to campaign for, watch or wait for</td><td>Idle</td></tr>
 * <tr><td>Acquiring</td><td>written, or refused and the record is mine</td>
 * <td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>written, and the answer shows another attempt</td><td>Following; the attempt lives</td></tr>
 * <tr><td></td><td>refused, and the answer shows anything but mine</td><td>Following; the attempt is dead</td></tr>
 * <tr><td></td><td>refused without showing the record, or no answer</td><td>Doubting; the attempt lives</td></tr>
 * <tr><td>Doubting</td><td>a read shows mine</td><td>Settling, Leading, or Stopping if it may not lead</td></tr>
 * <tr><td></td><td>a read shows anything else</td>
 * <td>Following; the attempt lives until superseded, or is dead if it was refused</td></tr>
 * <tr><td></td><td>a late refusal shows anything else</td><td>Following; the attempt is dead</td></tr>
 * <tr><td></td><td>session over</td><td>Following; the attempt lives until superseded</td></tr>
 * <tr><td>Settling</td><td>the time is over</td><td>Leading</td></tr>
 * <tr><td></td><td>stop; not mine; mine with another term; session over; unseen too long</td>
 * <td>Stopping; nothing was announced</td></tr>
 * <tr><td></td><td>Withdraw, leave flag</td><td>Stopping</td></tr>
 * <tr><td>Leading</td><td>mine, seen in any way, at a new basis</td><td>Leading, at that basis; same deadline</td></tr>
 * <tr><td></td><td>stop; not mine; mine with another term; session over; unseen too long; leave flag; Resign;
 * Withdraw; WorkStopped</td>
 * <td>Stopping</td></tr>
 * <tr><td>Stopping</td><td>work outlives the deadline, or its budget if that ends first: overrun, reported once</td>
 * <td>Stopping</td></tr>
 * <tr><td></td><td>work stopped, or covered as long as the policy says: release</td>
 * <td>Stopping until the release is answered</td></tr>
 * <tr><td></td><td>released, or not mine any more, or surely over</td>
 * <td>Following; after own will or failed work: cools down</td></tr>
 * <tr><td>any</td><td>a stale answer or hint (a late acquire's answer makes it read), a command for another term</td>
 * <td>unchanged</td></tr>
 * </table>
 *
 * <p>A {@linkplain ElectionSettings#registers registration} has the same roles except Settling. It has no work, so it
 * is released in the step in which it stops, and its terms never end for being unseen or smaller than another. A place
 * in a queue is a registration whose candidacy ends with its {@linkplain ElectionSettings#once term}.
 *
 * <p>Not safe for use from several threads.
 */
public final class ElectionMachine {
    /** Its slot in the {@link WakeHeap}, which alone uses it. */
    int wakeSlot = -1;

    /** The number of the newest common listing that showed it, or 0; its candidate alone uses it. */
    int listedIn;

    // Its place on the roll of each concern: fields, because an array for each of thousands of elections would add up.
    private int sessionsPlace = Concern.NOWHERE;
    private int listingPlace = Concern.NOWHERE;
    private int holdingPlace = Concern.NOWHERE;
    private int watchPlace = Concern.NOWHERE;

    private final ElectionState state;

    /** An idle machine. */
    ElectionMachine(RecordKey key, ElectionSettings settings, Shared shared) {
        this.state = new ElectionState(key, settings, shared);
    }

    /** Handles {@code event} and returns what is to be done. */
    List<Action> on(ElectionEvent event, Now at) {
        return new Step(state).on(event, at);
    }

    // ---- for the rolls alone ----

    /** Its place on that roll, or {@link Concern#NOWHERE}. */
    int place(Concern roll) {
        return switch (roll) {
            case SESSIONS -> sessionsPlace;
            case LISTING -> listingPlace;
            case HOLDING -> holdingPlace;
            case WATCH -> watchPlace;
        };
    }

    void put(Concern roll, int place) {
        switch (roll) {
            case SESSIONS -> sessionsPlace = place;
            case LISTING -> listingPlace = place;
            case HOLDING -> holdingPlace = place;
            case WATCH -> watchPlace = place;
        }
    }

    // ---- what its candidate asks and tells ----

    RecordKey key() {
        return state.key;
    }

    Role role() {
        return state.role;
    }

    /** What it remembers; for reading only. */
    ElectionState state() {
        return state;
    }

    View told() {
        return state.told;
    }

    /** Whether it may take a place in a queue: as soon as it could lead if nobody else did. */
    boolean mayQueue() {
        return state.mayQueue();
    }

    /** Whether it reads by itself when the watch over elections may have missed something. */
    boolean looksAfterGap() {
        return !state.settings.registers() && !(state.role instanceof Role.Idle) && !state.isListedWithOthers();
    }

    /** When {@link ElectionEvent.Tick} is wanted; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos() {
        return state.wakeAtNanos();
    }

    /** From then on it may be forgotten, if it is idle. */
    long forgettableAtNanos() {
        return state.pace.settledAtNanos();
    }

    /** The watch broke: the next read comes no later than without a watch. */
    void unhinted(Now at) {
        new Step(state).unhinted(at);
    }

    /** See {@link CandidateMachine#askedNanos(RecordKey, long, Now)}. */
    long askedNanos(long request, Now at) {
        Pending asked = state.outbox.pending();
        if (asked == null || asked.request() != request || at.monotonicNanos() >= asked.untilNanos()) {
            return Long.MIN_VALUE;
        }
        return asked.sent().monotonicNanos();
    }

    /** The session that is open now, if any. */
    void offer(@Nullable SessionLease open) {
        state.session = open;
    }
}
