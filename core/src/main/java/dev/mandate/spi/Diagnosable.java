package dev.mandate.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What a store may implement beside {@link ElectionStore}, so that {@code mandate doctor} can say more about it than its verbs show. Nothing
 * else asks for it, and elections never depend on it.
 *
 * <p>The doctor tries all verbs of the store by itself, on an election that it makes up, and finds out about answers, times, leases, hints
 * and rights that are missing. What is left for a store is what only it knows: versions, members and their health, clocks, settings of the
 * server, its own traps.
 *
 * <p><em>Threads and errors</em> are those of {@link ElectionStore}: called from one thread at a time, must not block, may complete on any
 * thread. No question changes the store.
 */
public interface Diagnosable {
    /** The most findings that are asked for; what is beyond is not shown. */
    int FINDINGS_MAX = 50;

    /**
     * Looks at the server, or the file, and says what it found, in the order in which people want to read it.
     *
     * <p>Called once, also where the verbs fail: what is found here may say why. A question that gets no answer, or that this user may not ask,
     * is a finding like any other, not a failed stage: each has its own share of the time, so that a member that hangs does not hide
     * the others. Completes by the call's deadline, usually some seconds away, with all that was found until then.
     *
     * <p>Worth a finding, where the store has it: {@code version} of every server, and what is known of that version; {@code cluster}: members,
     * who leads them, who does not answer, room that is left; {@code clock}: how far the server's is from ours, if anything depends on it;
     * {@code durability}: settings under which a confirmed write can be lost; {@code lock-delay}; {@code rights} of what is configured. That all
     * is well is worth one, too. Where {@link #admitsScratch} is false, also whether the only key could be written, found out without
     * writing it.
     *
     * @param lease what candidates ask for
     * @param call how long it may take
     */
    CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call);

    /**
     * Whether there is a place for an election that nobody uses. False where the URL's {@code key} names a single one: then the doctor
     * acquires nothing. Constant, answered at once.
     */
    default boolean admitsScratch() {
        return true;
    }

    /**
     * The least right that {@code verb} takes, as the store's page and its own tools call it: {@code "permission readwrite on
     * /leaders/orders"}. For the sentence about a right that is missing. Answered at once.
     *
     * @param key what is read or written; the prefix of all elections for {@link Verb#LIST} and {@link Verb#WATCH}
     * @return empty if it takes none, or is not known
     */
    default Optional<String> rightFor(Verb verb, RecordKey key) {
        return Optional.empty();
    }
}
