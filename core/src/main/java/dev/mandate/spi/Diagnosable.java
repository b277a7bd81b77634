package dev.mandate.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Optional for an {@link ElectionStore}: lets {@code mandate doctor} say more about the store than its verbs show. Only
 * the doctor uses it; elections never depend on it.
 *
 * <p>The doctor itself tries all verbs of the store, on an election that it makes up, and reports answers, times,
 * leases, hints and missing rights. The store adds what only it knows: versions, members and their health, clocks,
 * server settings, known pitfalls.
 *
 * <p><em>Threads and errors</em> are those of {@link ElectionStore}: called from one thread at a time, must not block,
 * may complete on any thread. No question changes the store.
 */
public interface Diagnosable {
    /** The most findings that are shown; the doctor drops the rest. */
    int FINDINGS_MAX = 50;

    /**
     * Inspects the server, or the file, and reports findings in the order in which people want to read them.
     *
     * <p>Called once, even if the verbs fail: a finding may say why. A question that gets no answer, or that this
     * user may not ask, is a finding too, not a failed stage. Each question has its own share of the time, so that a
     * member that hangs does not hide the others. Completes by the call's deadline, usually some seconds away, with
     * all findings so far.
     *
     * <p>Worth a finding, where the store has it: {@code version} of every server, and what is known of that version;
     * {@code cluster}: members, who leads them, who does not answer, room that is left; {@code clock}: how far the
     * server's is from ours, if anything depends on it; {@code durability}: settings under which a confirmed write can
     * be lost; {@code lock-delay}; {@code rights} of what is configured. Report good news, too. Where {@link
     * #admitsScratch} is false, also report whether the only key could be written, without writing it.
     *
     * @param lease the lease that candidates request
     * @param call how long it may take
     */
    CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call);

    /**
     * Whether the store can hold an election that nobody uses. False where the URL's {@code key} names a single one:
     * then the doctor acquires nothing. Constant, answered at once.
     */
    default boolean admitsScratch() {
        return true;
    }

    /**
     * The least right that {@code verb} needs, in the words of the store's page and tools: {@code "permission readwrite
     * on /leaders/orders"}. For the message about a missing right. Answered at once.
     *
     * @param key what is read or written; the prefix of all elections for {@link Verb#LIST} and {@link Verb#WATCH}
     * @return empty if it needs none, or is not known
     */
    default Optional<String> rightFor(Verb verb, RecordKey key) {
        return Optional.empty();
    }
}
