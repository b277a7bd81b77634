package dev.mandate.peers.register;

import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One call: a read, or a write on a basis. Pure: {@link #step} takes the voters' answers and the time, and returns what
 * to send. It ends once, with an {@link Outcome}, at its deadline at the latest, and ignores what comes later.
 *
 * <ul>
 *   <li><em>Read.</em> Asks a majority what it accepted. If the answers differ, asks all voters once more; if they
 *       still differ, completes what was accepted in the highest epoch.
 *   <li><em>Write.</em> PREPARE, comparison of the highest accepted write with the basis, ACCEPT. Until an ACCEPT has
 *       left, a write is refused if the key no longer holds its basis. After that it is written, or unknown, or refused
 *       because another write on its basis was chosen.
 *   <li><em>Round.</em> After a round that voters refuse comes another, in a higher epoch, after a pause; after a round
 *       that grows old, at once. So no promise is counted together with one of a voter that has restarted and voted
 *       since.
 *   <li><em>Deadline.</em> Nothing is sent at the deadline or later.
 * </ul>
 */
public final class Proposal {
    /** Few nodes want one key at once, and each writes a key one call after the other. */
    private static final int DOUBLINGS_MAX = 6;

    private final ProposalSettings settings;
    private final RecordKey key;

    /** Null for a read. */
    private final @Nullable Write write;

    private Phase phase = Phase.NEW;
    private long seen;
    private int rounds;
    private int look;
    private ReadAnswers answers;
    private Epoch epoch = Epoch.NONE;
    private Ballot ballot;

    /** The last value that this call itself proposed; null until its ACCEPT leaves. */
    private @Nullable Value own;

    /** What ACCEPT carries in this round; {@link #goal}: how the call ends with it. */
    private @Nullable Value carried;

    /** The reported age of that value: no clock of this process makes it older. */
    private long carriedAgeNanos;

    private Moment begun = new Moment(0, 0);
    /** How long after that, at least, this round began. */
    private long roundAfterNanos;

    private @Nullable Outcome goal;
    private long roundUntilNanos;
    private long wakeNanos;

    private enum Phase {
        NEW,
        LOOKING,
        PREPARING,
        ACCEPTING,
        PAUSING,
        ENDED
    }

    private Proposal(ProposalSettings settings, RecordKey key, @Nullable Write write) {
        this.settings = settings;
        this.key = key;
        this.write = write;
        this.seen = settings.seen();
        this.answers = new ReadAnswers(settings.group());
        this.ballot = new Ballot(settings.group());
    }

    /** For the explorer. */
    Proposal(Proposal other) {
        settings = other.settings;
        key = other.key;
        write = other.write;
        phase = other.phase;
        seen = other.seen;
        rounds = other.rounds;
        look = other.look;
        answers = new ReadAnswers(other.answers);
        epoch = other.epoch;
        ballot = new Ballot(other.ballot);
        own = other.own;
        carried = other.carried;
        carriedAgeNanos = other.carriedAgeNanos;
        begun = other.begun;
        roundAfterNanos = other.roundAfterNanos;
        goal = other.goal;
        roundUntilNanos = other.roundUntilNanos;
        wakeNanos = other.wakeNanos;
    }

    /** Reads a key. */
    public static Proposal read(ProposalSettings settings, RecordKey key) {
        return new Proposal(settings, key, null);
    }

    /** Writes {@code record}, with the fencing token as its term, if the key holds {@code basis}. */
    public static Proposal acquire(ProposalSettings settings, RecordKey key, Epoch basis, LeaderRecord record) {
        return new Proposal(settings, key, new Write(Write.Kind.ACQUIRE, basis, record));
    }

    /** Replaces a record if the key holds {@code basis}. Only {@link Intent#RENEW} changes the liveness. */
    public static Proposal update(
            ProposalSettings settings, RecordKey key, Epoch basis, LeaderRecord record, Intent intent) {
        return new Proposal(settings, key, Write.update(basis, record, intent));
    }

    /** Makes a key vacant if it holds {@code basis}. */
    public static Proposal release(ProposalSettings settings, RecordKey key, Epoch basis) {
        return new Proposal(settings, key, new Write(Write.Kind.RELEASE, basis, null));
    }

    /** The highest counter seen, for this node's next call. */
    public long seen() {
        return seen;
    }

    /** Whether the call has ended. */
    public boolean isOver() {
        return phase == Phase.ENDED;
    }

    /** When to call {@link #tick} at the latest. */
    public long wakeAtNanos() {
        return wakeNanos - settings.deadlineNanos() < 0 ? wakeNanos : settings.deadlineNanos();
    }

    /** The time by which the messages this call wants sent must have left. */
    public long untilNanos() {
        boolean isRound = phase == Phase.PREPARING || phase == Phase.ACCEPTING;
        return isRound && roundUntilNanos - settings.deadlineNanos() < 0 ? roundUntilNanos : settings.deadlineNanos();
    }

    /** Starts. Call once, first. */
    public ProposalStep begin(Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        begun = now;
        if (isLate(now)) {
            return unknown();
        }
        if (write == null) {
            phase = Phase.LOOKING;
            lookAt(settings.preference().subList(0, settings.group().majority()), now, sends);
        } else {
            prepare(now, sends);
        }
        return new ProposalStep(sends, null);
    }

    /** Takes an answer of a voter. Total: ignores answers to anything else. */
    public ProposalStep step(int voter, Message.Answer answer, Moment now) {
        if (phase == Phase.ENDED || !settings.group().has(voter)) {
            return new ProposalStep(List.of(), null);
        }
        if (isLate(now)) {
            return unknown();
        }
        if (answer instanceof Message.Shown shown) {
            return shown(voter, shown, now);
        }
        if (isOld(now)) {
            return again(now);
        }
        if (answer instanceof Message.Promise promise && promise.epoch().equals(epoch)) {
            return promised(voter, promise, now);
        }
        if (answer instanceof Message.Accepted accepted && accepted.epoch().equals(epoch) && phase == Phase.ACCEPTING) {
            ballot.accepted(voter);
            return ballot.isAccepted() && goal != null ? end(goal) : new ProposalStep(List.of(), null);
        }
        if (answer instanceof Message.Refusal refusal) {
            seen = Math.max(seen, refusal.promised());
            return refusal.epoch().equals(epoch)
                    ? refused(voter, refusal.reason(), now)
                    : new ProposalStep(List.of(), null);
        }
        return new ProposalStep(List.of(), null);
    }

    /** Time passed. */
    public ProposalStep tick(Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        if (phase == Phase.ENDED || phase == Phase.NEW) {
            return new ProposalStep(sends, null);
        }
        if (isLate(now)) {
            return unknown();
        }
        if (now.nanos() - wakeNanos < 0) {
            return new ProposalStep(sends, null);
        }
        if (isOld(now)) {
            return again(now);
        }
        switch (phase) {
            case LOOKING -> {
                if (look == 1 && answers.isMajority()) {
                    prepare(now, sends);
                } else {
                    lookAt(answers.silent(), now, sends);
                }
            }
            case PREPARING -> prepares(now, sends);
            case ACCEPTING -> accepts(now, sends);
            default -> prepare(now, sends);
        }
        return new ProposalStep(sends, null);
    }

    /** The link to a voter came up: what it has not answered may be lost, so it is sent again. */
    public ProposalStep reached(int voter, Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        if (phase == Phase.ENDED || phase == Phase.NEW) {
            return new ProposalStep(sends, null);
        }
        if (isLate(now)) {
            return unknown();
        }
        if (isOld(now)) {
            return again(now);
        }
        Message unanswered = unanswered(voter);
        if (unanswered != null) {
            sends.add(new ProposalStep.Send(voter, unanswered));
        }
        return new ProposalStep(sends, null);
    }

    private @Nullable Message unanswered(int voter) {
        return switch (phase) {
            case LOOKING -> answers.silent().contains(voter) ? new Message.Look(settings.id(), look, key) : null;
            case PREPARING -> ballot.unpromised().contains(voter) ? new Message.Prepare(key, epoch) : null;
            case ACCEPTING -> carried != null && ballot.unaccepted().contains(voter) ? accept(carried) : null;
            default -> null;
        };
    }

    private boolean isLate(Moment now) {
        return now.nanos() - settings.deadlineNanos() >= 0;
    }

    private boolean isOld(Moment now) {
        boolean isRound = phase == Phase.PREPARING || phase == Phase.ACCEPTING;
        return isRound && now.nanos() - roundUntilNanos >= 0;
    }

    private ProposalStep again(Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        prepare(now, sends);
        return new ProposalStep(sends, null);
    }

    private ProposalStep end(Outcome outcome) {
        phase = Phase.ENDED;
        return new ProposalStep(List.of(), outcome);
    }

    private ProposalStep unknown() {
        List<Integer> silent = switch (phase) {
            case LOOKING -> answers.silent();
            case PREPARING -> ballot.unpromised();
            case ACCEPTING -> ballot.unaccepted();
            default -> List.of();
        };
        return end(new Outcome.Unknown(silent));
    }

    private ProposalStep shown(int voter, Message.Shown shown, Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        seen = Math.max(seen, shown.promised());
        if (phase != Phase.LOOKING || shown.round() != look || !shown.call().equals(settings.id())) {
            return new ProposalStep(sends, null);
        }
        answers.shown(voter, shown);
        if (!answers.isMajority()) {
            return new ProposalStep(sends, null);
        }
        if (answers.isChosen()) {
            Vote highest = answers.highest();
            return end(new Outcome.Read(highest == null ? null : highest.value()));
        }
        if (look == 0) {
            // A write was in progress; it may be complete by now.
            look = 1;
            answers = new ReadAnswers(settings.group());
            lookAt(answers.silent(), now, sends);
        } else if (answers.silent().isEmpty()) {
            prepare(now, sends);
        }
        return new ProposalStep(sends, null);
    }

    private void lookAt(List<Integer> voters, Moment now, List<ProposalStep.Send> sends) {
        Message.Look message = new Message.Look(settings.id(), look, key);
        voters.forEach(voter -> sends.add(new ProposalStep.Send(voter, message)));
        wakeNanos = now.nanos() + settings.resendNanos();
    }

    /** Starts a new round, in an epoch above all seen. */
    private void prepare(Moment now, List<ProposalStep.Send> sends) {
        phase = Phase.PREPARING;
        rounds++;
        long counter = Math.max(Math.max(seen, epoch.counter()) + 1, now.wallMillis());
        epoch = new Epoch(Math.min(counter, Epoch.COUNTER_MAX), settings.id());
        seen = epoch.counter();
        roundUntilNanos = now.nanos() + settings.roundNanos();
        roundAfterNanos = now.leastNanosSince(begun);
        ballot = new Ballot(settings.group());
        prepares(now, sends);
    }

    private void prepares(Moment now, List<ProposalStep.Send> sends) {
        Message.Prepare message = new Message.Prepare(key, epoch);
        ballot.unpromised().forEach(voter -> sends.add(new ProposalStep.Send(voter, message)));
        wakeNanos = now.nanos() + settings.resendNanos();
    }

    private void accepts(Moment now, List<ProposalStep.Send> sends) {
        if (carried != null) {
            Message.Accept message = accept(carried);
            ballot.unaccepted().forEach(voter -> sends.add(new ProposalStep.Send(voter, message)));
        }
        wakeNanos = now.nanos() + settings.resendNanos();
    }

    private Message.Accept accept(Value value) {
        return new Message.Accept(key, epoch, value, carriedAgeNanos);
    }

    private ProposalStep accept(Value value, long ageNanos, Outcome whenAccepted, Moment now) {
        List<ProposalStep.Send> sends = new ArrayList<>();
        phase = Phase.ACCEPTING;
        carried = value;
        carriedAgeNanos = ageNanos;
        goal = whenAccepted;
        ballot.accepting();
        accepts(now, sends);
        return new ProposalStep(sends, null);
    }

    private ProposalStep refused(int voter, Message.Reason reason, Moment now) {
        if (phase != Phase.PREPARING && phase != Phase.ACCEPTING) {
            return new ProposalStep(List.of(), null);
        }
        ballot.refused(voter);
        if (!ballot.isHopeless()) {
            return new ProposalStep(List.of(), null);
        }
        if (reason != Message.Reason.PROMISED) {
            return end(new Outcome.Rejected(reason));
        }
        if (rounds >= settings.roundsMax()) {
            return unknown();
        }
        phase = Phase.PAUSING;
        long pauseMax = settings.backOffNanos() << Math.min(rounds - 1, DOUBLINGS_MAX);
        double share = new Random(settings.seed() + rounds).nextDouble();
        wakeNanos = now.nanos() + (long) (pauseMax * (0.5 + share / 2));
        return new ProposalStep(List.of(), null);
    }

    private ProposalStep promised(int voter, Message.Promise promise, Moment now) {
        if (phase != Phase.PREPARING) {
            return new ProposalStep(List.of(), null);
        }
        ballot.promised(voter, promise);
        Optional<List<Message.Promise>> majority = ballot.majority();
        if (majority.isEmpty()) {
            return new ProposalStep(List.of(), null);
        }
        Vote highest = Ballot.highest(majority.get());
        boolean isChosen = Ballot.isChosen(settings.group(), majority.get(), highest);
        long ageNanos = Ballot.ages(majority.get(), highest).min().orElse(0);
        if (write == null) {
            return read(highest, ageNanos, isChosen, now);
        }
        long oldestNanos = Ballot.ages(majority.get(), highest).max().orElse(0);
        return write(write, highest, ageNanos, oldestNanos, isChosen, now);
    }

    private ProposalStep read(@Nullable Vote highest, long ageNanos, boolean isChosen, Moment now) {
        Value value = highest == null ? null : highest.value();
        Outcome.Read read = new Outcome.Read(value);
        return isChosen || value == null ? end(read) : accept(value, ageNanos, read, now);
    }

    /** Compares what is accepted with the basis. */
    private ProposalStep write(
            Write wanted, @Nullable Vote highest, long ageNanos, long oldestNanos, boolean isChosen, Moment now) {
        Value current = highest == null ? null : highest.value();
        Epoch currentWrite = current == null ? Epoch.NONE : current.write();
        if (current != null && currentWrite.id().equals(settings.id())) {
            // From an earlier round of this call: some voter accepted it.
            return accept(current, ageNanos, new Outcome.Written(current, wanted.renews()), now);
        }
        if (currentWrite.equals(wanted.basis())) {
            own = wanted.value(epoch, current);
            return accept(own, 0, new Outcome.Written(own, wanted.renews()), now);
        }
        Outcome.Refused refused = new Outcome.Refused(isChosen, isChosen ? current : null);
        if (own == null) {
            return end(refused);
        }
        if (current != null && current.basis().id().equals(settings.id())) {
            // Another write is based on it: it was chosen if that one was.
            Outcome.Written before = new Outcome.Written(wanted.value(current.basis(), own), wanted.renews());
            return isChosen ? end(before) : accept(current, ageNanos, before, now);
        }
        boolean isOlder = ageNanos > now.leastNanosSince(begun);
        if (current == null || !current.basis().equals(wanted.basis()) || isOlder) {
            return unknown();
        }
        // An unreachable voter may hold a value it accepted from this call. The other value outlasts it once a whole
        // majority reports having accepted the other since this call began; they report it after the round began.
        boolean isLasting = isChosen && oldestNanos <= roundAfterNanos;
        return isLasting ? end(refused) : accept(current, ageNanos, new Outcome.Refused(true, current), now);
    }

    /** For the explorer: whether a tick does more than resend. */
    boolean waitsForTime() {
        return phase == Phase.PAUSING || phase == Phase.LOOKING;
    }

    /** For the explorer: what it knows of one voter. */
    void digest(int voter, boolean withStarts, LongConsumer digest) {
        answers.digest(voter, digest);
        ballot.digest(voter, withStarts, digest);
    }

    /** For the explorer: whether an answer to {@code round} may still change anything. */
    boolean awaits(Message.Answer answer) {
        if (answer instanceof Message.Shown shown) {
            return phase == Phase.LOOKING && shown.round() == look;
        }
        if (answer instanceof Message.Promise promise) {
            return phase == Phase.PREPARING && promise.epoch().equals(epoch);
        }
        if (answer instanceof Message.Accepted accepted) {
            return phase == Phase.ACCEPTING && accepted.epoch().equals(epoch);
        }
        return phase != Phase.ENDED;
    }

    /** For the explorer: everything that affects this call, except times and what it knows of voters. */
    void digest(LongConsumer digest) {
        digest.accept(phase.ordinal() + 8L * rounds + 64L * look);
        digest.accept(seen);
        epoch.digest(digest);
        digest.accept(own == null ? -1 : own.write().counter());
        digest.accept(carried == null ? -1 : carried.write().counter());
        digest.accept(goal == null ? -1 : goal.hashCode());
    }
}
