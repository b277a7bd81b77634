package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * One voter: promises, accepts, and shows what it accepted. Pure: {@link #step} takes what happened and the time, and
 * returns what to do, in order. It accepts any event in any state.
 *
 * <ul>
 *   <li><em>Promise.</em> It promises and accepts nothing below a promise, and never promises a counter to two epochs.
 *   <li><em>Ceiling.</em> A promise at or above the ceiling waits until a higher ceiling is on the disk. After a start
 *       everything below the ceiling counts as promised.
 *   <li><em>Quarantine.</em> After a start it is silent until every lease that an earlier start accepted is over.
 *   <li><em>Start.</em> Before it votes, it asks the others whether they remember a start that its file does not
 *       include: as many as make a majority with itself. If its file was missing, damaged or old, it takes the highest
 *       ceiling of {@link Group#witnesses()}.
 *   <li><em>Names.</em> It remembers another voter's start on the disk before it answers it, and from then on names
 *       that start in every promise.
 * </ul>
 *
 * <p>Time is monotonic nanoseconds of any origin. A clock that stops while the machine is suspended only prolongs the
 * quarantine.
 */
public final class Voter {
    /** Requests that wait for the disk; more are dropped, as if lost. */
    private static final int WAITING_MAX = 1024;

    private final VoterSettings settings;
    private final KeyTable table;
    private final Joining joining;

    /** What is certainly on the disk. */
    private DurableState durable;

    /** The last state that was to be written there. */
    private DurableState asked;

    private long sequence;
    private final Deque<VoterAction.Persist> unconfirmed = new ArrayDeque<>();
    private final Deque<VoterEvent.Received> waiting = new ArrayDeque<>();
    private boolean voting;
    private boolean quarantined = true;
    private final long longestNanos;
    private final long quarantineEndsNanos;
    private boolean greeted;
    private long joinAtNanos;

    /** Before that, nothing is written only because a write failed. */
    private long writeAgainAtNanos;

    /**
     * Makes a voter that is about to start. Call {@link #begin} next.
     *
     * @param recall what was found on the disk
     * @param start random
     */
    public Voter(VoterSettings settings, Recall recall, Id start, long nowNanos) {
        this.settings = settings;
        this.durable = recall.state().orElse(DurableState.none(settings.group()));
        this.longestNanos = Math.max(settings.quarantineNanos(), durable.quarantineNanos());
        this.table = new KeyTable(settings.quarantineNanos(), nowNanos);
        this.joining = new Joining(settings, new Start(durable.covers().number() + 1, start));
        this.asked = joining.started(durable, longestNanos);
        this.quarantineEndsNanos = nowNanos + longestNanos;
        this.joinAtNanos = nowNanos;
        this.writeAgainAtNanos = nowNanos;
    }

    /** For the explorer. */
    Voter(Voter other) {
        settings = other.settings;
        table = new KeyTable(other.table);
        joining = new Joining(other.joining);
        durable = other.durable;
        asked = other.asked;
        sequence = other.sequence;
        unconfirmed.addAll(other.unconfirmed);
        waiting.addAll(other.waiting);
        voting = other.voting;
        quarantined = other.quarantined;
        longestNanos = other.longestNanos;
        quarantineEndsNanos = other.quarantineEndsNanos;
        greeted = other.greeted;
        joinAtNanos = other.joinAtNanos;
        writeAgainAtNanos = other.writeAgainAtNanos;
    }

    /** Starts: the new start is written before it is announced. Call once, first. */
    public List<VoterAction> begin() {
        List<VoterAction> actions = new ArrayList<>();
        persist(asked, actions);
        return actions;
    }

    /** Takes one event. Total and deterministic. */
    public List<VoterAction> step(VoterEvent event, long nowNanos) {
        List<VoterAction> actions = new ArrayList<>();
        if (event instanceof VoterEvent.Received received) {
            receive(received, nowNanos, actions);
        } else if (event instanceof VoterEvent.Persisted persisted) {
            persisted(persisted.sequence(), nowNanos, actions);
        } else if (event instanceof VoterEvent.PersistFailed failed) {
            failed(failed.sequence(), nowNanos);
        }
        if (quarantined && nowNanos - quarantineEndsNanos >= 0) {
            quarantined = false;
            // Asks again, as late as possible, for what was learnt early.
            if (!durable.complete()) {
                joining.restart();
                joinAtNanos = nowNanos;
            }
        }
        if (!voting) {
            joining.forgetWithout(nowNanos);
        }
        join(nowNanos, actions);
        table.sweep(nowNanos);
        return actions;
    }

    /** When to call {@link #step} with a {@link VoterEvent.Tick} at the latest. */
    public long wakeAtNanos(long nowNanos) {
        // A start is announced once it is on the disk, and the disk reports that.
        boolean awaitsDisk = !greeted && !unconfirmed.isEmpty();
        boolean hasToAsk = !awaitsDisk && joining.isAnySilent(durable.complete(), voting);
        long join = hasToAsk ? joinAtNanos : nowNanos + settings.quarantineNanos();
        long write = nowNanos - writeAgainAtNanos < 0 ? Math.min(join, writeAgainAtNanos) : join;
        return quarantined ? Math.min(quarantineEndsNanos, write) : write;
    }

    /** The highest counter it promised for {@code key}: a call of its process that begins above it saves a round. */
    public long promised(RecordKey key) {
        return table.promised(key);
    }

    /** Whether it promises and accepts. */
    public boolean isVoting() {
        return voting;
    }

    /** Its status, for people. */
    public VoterStatus status(long nowNanos) {
        VoterStatus.Phase phase = voting
                ? VoterStatus.Phase.VOTING
                : quarantined
                        ? VoterStatus.Phase.QUARANTINED
                        : durable.complete() ? VoterStatus.Phase.CONFIRMING : VoterStatus.Phase.LEARNING;
        long left = quarantined ? Math.max(0, quarantineEndsNanos - nowNanos) : 0;
        return new VoterStatus(phase, joining.start(), durable, left, silent(), table.size());
    }

    private void receive(VoterEvent.Received received, long nowNanos, List<VoterAction> actions) {
        Message message = received.message();
        if (message instanceof Message.Join join) {
            welcome(received, join, actions);
        } else if (message instanceof Message.Welcome welcome) {
            joining.welcomed(welcome, nowNanos).ifPresent(later -> isOld(later, nowNanos, actions));
        } else if (message instanceof Message.AskStatus ask) {
            VoterStatus status = status(nowNanos);
            Message answer = new Message.Status(
                    ask.call(),
                    status.phase(),
                    durable.ceiling(),
                    settings.quarantineNanos(),
                    status.quarantineLeftNanos(),
                    status.keys(),
                    0,
                    false);
            reply(received, answer, actions);
        } else if (voting && message instanceof Message.Request request) {
            request(received, request, nowNanos, actions);
        }
    }

    private void request(
            VoterEvent.Received received, Message.Request request, long nowNanos, List<VoterAction> actions) {
        if (request instanceof Message.Look look) {
            table.age(look.key(), nowNanos);
            reply(
                    received,
                    new Message.Shown(look.call(), look.round(), table.vote(look.key()), table.promised(look.key())),
                    actions);
        } else if (request instanceof Message.ListKeys list) {
            reply(received, table.page(list, nowNanos), actions);
        } else if (request instanceof Message.Prepare prepare) {
            if (mayVote(received, prepare.key(), prepare.epoch(), nowNanos, actions)) {
                table.promise(prepare.key(), prepare.epoch(), nowNanos);
                Message.Promise promise = new Message.Promise(
                        prepare.epoch(),
                        joining.start(),
                        durable.known(),
                        table.vote(prepare.key()),
                        table.ageNanos(prepare.key(), nowNanos));
                reply(received, promise, actions);
            }
        } else if (request instanceof Message.Accept accept) {
            LeaderRecord record = accept.value().record();
            if (record != null && isTooLong(record)) {
                refuse(received, accept.key(), accept.epoch(), Message.Reason.LEASE, actions);
            } else if (mayVote(received, accept.key(), accept.epoch(), nowNanos, actions)) {
                Vote before = table.vote(accept.key());
                table.accept(accept.key(), new Vote(accept.epoch(), accept.value()), accept.ageNanos(), nowNanos);
                if (before == null
                        || !before.value().write().equals(accept.value().write())) {
                    actions.add(new VoterAction.Changed(accept.key(), accept.value()));
                }
                reply(received, new Message.Accepted(accept.epoch()), actions);
            }
        }
    }

    private boolean isTooLong(LeaderRecord record) {
        return record.lease().compareTo(Duration.ofNanos(settings.quarantineNanos())) > 0;
    }

    /** Whether to promise, or accept in, {@code epoch} now. If not, the request is refused, or waits for the disk. */
    private boolean mayVote(
            VoterEvent.Received received, RecordKey key, Epoch epoch, long nowNanos, List<VoterAction> actions) {
        table.age(key, nowNanos);
        if (!table.permits(key, epoch)) {
            refuse(received, key, epoch, Message.Reason.PROMISED, actions);
            return false;
        }
        if (!table.hasRoom(key)) {
            refuse(received, key, epoch, Message.Reason.FULL, actions);
            return false;
        }
        long counter = epoch.counter();
        // Raised ahead of time if possible, so that requests seldom wait.
        if (counter >= asked.ceiling() - settings.ceilingStep() / 2) {
            persist(asked.withCeiling(Math.min(Epoch.COUNTER_MAX, counter + settings.ceilingStep())), actions);
        }
        if (counter >= durable.ceiling()) {
            await(received);
            return false;
        }
        return true;
    }

    private void welcome(VoterEvent.Received received, Message.Join join, List<VoterAction> actions) {
        int voter = join.voter();
        if (!settings.group().has(voter) || voter == settings.self()) {
            return;
        }
        Start known = durable.known().get(voter);
        Start written = asked.known().get(voter);
        if (!written.equals(known) && !written.equals(join.start()) && !includes(join, written)) {
            // Late: a later start of that voter is being written.
            return;
        }
        if (!known.equals(join.start()) && includes(join, known)) {
            // Remembers a start before it answers, unless its file lacks the known one: without a vote it proves
            // nothing.
            if (!written.equals(join.start())) {
                persist(asked.withKnown(voter, join.start()), actions);
                joining.startedAgain(voter);
            }
            await(received);
            return;
        }
        Message.Ceiling ceiling = !durable.complete()
                ? Message.Ceiling.NONE
                : voting ? Message.Ceiling.CONFIRMED : Message.Ceiling.UNCONFIRMED;
        Message.Welcome welcome = new Message.Welcome(
                settings.self(),
                join.start(),
                joining.start(),
                known,
                ceiling,
                durable.ceiling(),
                durable.founders(),
                durable.known());
        reply(received, welcome, actions);
    }

    /** Whether the joining voter's file includes what {@code known} promised. */
    private static boolean includes(Message.Join join, Start known) {
        Start covers = join.covers();
        return known.number() < covers.number()
                || known.equals(covers)
                || known.number() == covers.number() && join.attempts().contains(known.id())
                || known.number() == covers.number() + 1
                        && join.start().number() == known.number()
                        && join.attempts().contains(known.id());
    }

    /** Another voter remembers a start that the file does not include: the file gives only a lower bound. */
    private void isOld(Start later, long nowNanos, List<VoterAction> actions) {
        voting = false;
        joining.restartAbove(later);
        greeted = false;
        joinAtNanos = nowNanos + settings.joinNanos();
        persist(joining.started(asked, longestNanos), actions);
    }

    /** Announces the start to voters that have not answered, and begins to vote if enough have. */
    private void join(long nowNanos, List<VoterAction> actions) {
        if (!greeted) {
            if (unconfirmed.isEmpty() && nowNanos - joinAtNanos >= 0) {
                // The disk failed, so write again.
                joinAtNanos = nowNanos + settings.joinNanos();
                persist(joining.started(durable, longestNanos), actions);
            }
            return;
        }
        if (!voting && !quarantined) {
            Optional<DurableState> entry = joining.entry(durable);
            if (entry.isPresent() && asked.equals(durable) && nowNanos - writeAgainAtNanos >= 0) {
                persist(entry.get(), actions);
            }
        }
        if (nowNanos - joinAtNanos >= 0) {
            joinAtNanos = nowNanos + settings.joinNanos();
            Message.Join join =
                    new Message.Join(settings.self(), joining.start(), durable.covers(), durable.attempts());
            silent().forEach(voter -> actions.add(new VoterAction.Tell(voter, join)));
        }
    }

    private List<Integer> silent() {
        return joining.silent(durable.complete(), voting);
    }

    private void persist(DurableState state, List<VoterAction> actions) {
        asked = state;
        VoterAction.Persist persist = new VoterAction.Persist(++sequence, state);
        unconfirmed.add(persist);
        actions.add(persist);
    }

    private void persisted(long confirmed, long nowNanos, List<VoterAction> actions) {
        while (!unconfirmed.isEmpty() && unconfirmed.getFirst().sequence() <= confirmed) {
            durable = unconfirmed.removeFirst().state();
        }
        greeted = joining.isIn(durable);
        if (!voting && !quarantined && durable.complete() && durable.covers().equals(joining.start())) {
            voting = true;
            table.promiseBelow(durable.ceiling());
        }
        int count = waiting.size();
        for (int i = 0; i < count; i++) {
            receive(waiting.removeFirst(), nowNanos, actions);
        }
    }

    private void failed(long sequenceFailed, long nowNanos) {
        writeAgainAtNanos = nowNanos + settings.joinNanos();
        unconfirmed.removeIf(persist -> persist.sequence() <= sequenceFailed);
        if (unconfirmed.isEmpty()) {
            asked = durable;
            waiting.clear();
        }
    }

    private void await(VoterEvent.Received received) {
        if (waiting.size() < WAITING_MAX && !waiting.contains(received)) {
            waiting.add(received);
        }
    }

    private void refuse(
            VoterEvent.Received received,
            RecordKey key,
            Epoch epoch,
            Message.Reason reason,
            List<VoterAction> actions) {
        reply(received, new Message.Refusal(epoch, reason, table.promised(key)), actions);
    }

    private static void reply(VoterEvent.Received received, Message message, List<VoterAction> actions) {
        actions.add(new VoterAction.Reply(received.from(), message));
    }

    /** For the explorer: everything that affects this voter, except times. */
    void digest(boolean withStarts, LongConsumer digest) {
        table.digest(digest);
        if (!withStarts) {
            digest.accept(durable.ceiling());
            return;
        }
        joining.digest(digest);
        durable.digest(digest);
        unconfirmed.forEach(each -> each.state().digest(digest));
        waiting.forEach(each -> digest.accept(each.hashCode()));
        digest.accept((voting ? 1 : 0) + (quarantined ? 2 : 0) + (greeted ? 4 : 0));
    }
}
