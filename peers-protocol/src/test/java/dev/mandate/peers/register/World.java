package dev.mandate.peers.register;

import dev.mandate.peers.register.Envelopes.Envelope;
import dev.mandate.peers.register.Plan.Restarts;
import dev.mandate.peers.register.Plan.Verb;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A state of what an {@link Explorer} explores. States share machines until one of them steps, and the digest of
 * whatever did not change since.
 */
final class World {
    private static final int VOTERS = 3;

    private final Plan plan;
    private final Envelopes envelopes;
    private final Place[] places;
    private final Caller[] callers;
    private List<Envelope> joins = List.of();

    /** The numbers of all that may still be delivered, in their order. */
    private int[] sent = new int[0];

    private Judge judge = new Judge(VOTERS);
    private boolean isJudgeOwn = true;

    /** What the judge saw at each voter, and elsewhere; null where that is not known yet. */
    private long @Nullable [] judged;

    /** Whether answers are lost in the step that leads here. */
    private boolean losesAnswers;

    private boolean crashed;
    private int exchanges = 1;
    private int voterCrashed = -1;
    private List<Id> begunBeforeCrash = List.of();
    private List<Id> begun = List.of();

    /** Voters that vote, and the first call of each proposer begun. */
    World(Plan plan, Envelopes envelopes) {
        this.plan = plan;
        this.envelopes = envelopes;
        places = new Place[VOTERS];
        callers = new Caller[plan.proposers().size()];
        Epoch first = new Epoch(plan.ceiling(), new Id(0, 99));
        Vote held = new Vote(first, Bench.held(first, Epoch.NONE));
        Arrays.setAll(callers, p -> new Caller(plan.isHeld() ? first : Epoch.NONE));
        for (int i = 0; i < VOTERS; i++) {
            DurableState state = Bench.complete(plan.ceiling(), 1);
            Place place = new Place(new Voter(settings(i), new Recall.Intact(state), new Id(0, 10 + i), 0), state);
            places[i] = place;
            Start start = new Start(2, new Id(0, 10 + i));
            take(i, place.voter().begin(), true);
            places[i].now = Bench.LEASE;
            step(i, new VoterEvent.Tick(), true);
            Message.Welcome welcome = new Message.Welcome(
                    (i + 1) % VOTERS, start, start, start, Message.Ceiling.CONFIRMED, 0, List.of(), List.of());
            step(i, new VoterEvent.Received(0, welcome), true);
            if (plan.isHeld()) {
                Message.Accept accept = new Message.Accept(Bench.KEY, first, held.value());
                step(i, new VoterEvent.Received(0, accept), true);
            }
        }
        joins = List.of();
        judge = new Judge(VOTERS);
        if (plan.isHeld()) {
            judge.given(held);
        }
        for (int p = 0; p < callers.length; p++) {
            begin(p);
        }
    }

    private World(World other) {
        plan = other.plan;
        envelopes = other.envelopes;
        places = other.places.clone();
        callers = other.callers.clone();
        joins = other.joins;
        sent = other.sent;
        judge = other.judge;
        isJudgeOwn = false;
        judged = other.judged;
        crashed = other.crashed;
        voterCrashed = other.voterCrashed;
        begunBeforeCrash = other.begunBeforeCrash;
        begun = other.begun;
    }

    private static VoterSettings settings(int self) {
        return new VoterSettings(Bench.THREE, self, Bench.LEASE, 1, Long.MAX_VALUE / 4);
    }

    private static Id call(int proposer, int verb) {
        return new Id(0, 1 + proposer * 10L + verb);
    }

    private List<Verb> verbs(int p) {
        return plan.proposers().get(p).verbs();
    }

    private Moment now(int p) {
        return new Moment(0, plan.proposers().get(p).wallMillis());
    }

    // ---- what this state has for itself, to be changed ----

    private Place place(int v) {
        Place own = new Place(places[v]);
        places[v] = own;
        return own;
    }

    private Caller caller(int p) {
        Caller own = new Caller(callers[p]);
        callers[p] = own;
        return own;
    }

    private Judge judge() {
        if (!isJudgeOwn) {
            judge = new Judge(judge);
            isJudgeOwn = true;
        }
        judged = null;
        return judge;
    }

    // ---- what may come next ----

    /** For how many states it counts where exchanged places are told apart; known after {@link #hash}. */
    int exchanges() {
        return exchanges;
    }

    /** How many writes are chosen. */
    int chosen() {
        return judge.chosen();
    }

    /** Adds what may come next, one state for each step. */
    void successors(List<World> out) {
        for (int number : sent) {
            World next = new World(this);
            next.deliver(number);
            out.add(next);
            if (plan.answersAtOnce()) {
                World lost = new World(this);
                lost.losesAnswers = true;
                lost.deliver(number);
                out.add(lost);
            }
        }
        for (int p = 0; p < callers.length; p++) {
            Proposal call = callers[p].call;
            if (call == null) {
                continue;
            }
            if (call.waitsForTime()) {
                out.add(ticked(p, new Moment(call.wakeAtNanos(), now(p).wallMillis())));
            }
            if (plan.hasDeadlines() && callers[p].verb + 1 < verbs(p).size()) {
                out.add(ticked(p, new Moment(1000, 0)));
            }
        }
        for (int v = 0; v < VOTERS; v++) {
            if (!places[v].unwritten.isEmpty()) {
                World next = new World(this);
                next.write(v);
                out.add(next);
                if (plan.answersAtOnce()) {
                    World lost = new World(this);
                    lost.losesAnswers = true;
                    lost.write(v);
                    out.add(lost);
                }
            }
        }
        for (Envelope join : joins) {
            World next = new World(this);
            next.joins = joins.stream().filter(each -> !each.equals(join)).toList();
            next.step(join.to(), new VoterEvent.Received(join.from(), join.message()));
            out.add(next);
        }
        restarts(out);
    }

    private World ticked(int p, Moment now) {
        World next = new World(this);
        Proposal call = next.caller(p).call;
        if (call != null) {
            next.take(p, call.tick(now));
            next.forget();
        }
        return next;
    }

    private void restarts(List<World> out) {
        if (plan.restarts() != Restarts.NONE && !crashed) {
            // Which one it is makes no difference, as the others are alike.
            World next = new World(this);
            next.crash(0, plan.restarts() == Restarts.FILE_KEPT);
            out.add(next);
        }
        if (voterCrashed >= 0) {
            World next = new World(this);
            int v = voterCrashed;
            next.voterCrashed = -1;
            begunBeforeCrash.forEach(next.judge()::over);
            next.place(v).now += Bench.LEASE;
            next.step(v, new VoterEvent.Tick());
            out.add(next);
        }
    }

    private void crash(int v, boolean isFileKept) {
        crashed = true;
        voterCrashed = v;
        begunBeforeCrash = begun;
        Place place = place(v);
        place.unwritten = List.of();
        Recall recall = isFileKept ? new Recall.Intact(place.disk) : new Recall.Missing();
        place.disk = isFileKept ? place.disk : DurableState.none(Bench.THREE);
        place.voter(new Voter(settings(v), recall, new Id(0, 20 + v), place.now));
        take(v, place.voter().begin(), true);
    }

    private void write(int v) {
        Place place = place(v);
        VoterAction.Persist persist = place.unwritten.get(0);
        place.unwritten = place.unwritten.subList(1, place.unwritten.size());
        place.disk = persist.state();
        step(v, new VoterEvent.Persisted(persist.sequence()));
    }

    private void deliver(int number) {
        Envelope envelope = envelopes.envelope(number);
        if (!envelope.isToVoter()) {
            answer(envelope);
        } else if (plan.restarts() != Restarts.NONE) {
            step(envelope.to(), new VoterEvent.Received(envelope.from(), envelope.message()));
        } else {
            Place place = place(envelope.to());
            Envelopes.Taken taken = envelopes.taken(place, number);
            place.voter(taken.voter(), taken.digest());
            take(envelope.to(), taken.actions(), true);
        }
    }

    private void answer(Envelope envelope) {
        int p = envelope.to();
        Proposal call = caller(p).call;
        if (call != null && envelope.message() instanceof Message.Answer answer) {
            take(p, call.step(envelope.from(), answer, now(p)));
            forget();
        }
    }

    // ---- voters ----

    private void step(int v, VoterEvent event) {
        // Only the one that restarts can lose what was not written.
        step(v, event, v > 0 || crashed || !plan.isDiskSlow());
    }

    private void step(int v, VoterEvent event, boolean isDiskFast) {
        Place place = place(v);
        Voter voter = new Voter(place.voter());
        place.voter(voter);
        take(v, voter.step(event, place.now), isDiskFast);
    }

    private void take(int v, List<VoterAction> actions, boolean isDiskFast) {
        for (VoterAction action : actions) {
            if (action instanceof VoterAction.Reply reply) {
                if (reply.message() instanceof Message.Accepted accepted && !judge.hasAccepted(v, accepted.epoch())) {
                    judge().accepted(v, accepted.epoch());
                }
                if (reply.message() instanceof Message.Welcome) {
                    step((int) reply.to(), new VoterEvent.Received(v, reply.message()));
                } else {
                    send(new Envelope(false, (int) reply.to(), v, reply.message()));
                }
            } else if (action instanceof VoterAction.Tell tell) {
                // Asked and answered in one step: between two such steps anything may happen, and a late answer is
                // like a late question.
                List<Envelope> more = new ArrayList<>(joins);
                more.removeIf(join -> join.to() == tell.voter());
                more.add(new Envelope(true, tell.voter(), v, tell.message()));
                joins = more;
            } else if (action instanceof VoterAction.Persist persist) {
                Place place = place(v);
                if (isDiskFast) {
                    place.disk = persist.state();
                    step(v, new VoterEvent.Persisted(persist.sequence()), true);
                } else {
                    List<VoterAction.Persist> more = new ArrayList<>(place.unwritten);
                    more.add(persist);
                    place.unwritten = more;
                }
            }
        }
    }

    // ---- proposers ----

    private void begin(int p) {
        Caller caller = caller(p);
        if (caller.verb >= verbs(p).size()) {
            caller.call = null;
            return;
        }
        Id id = call(p, caller.verb);
        ProposalSettings settings = new ProposalSettings(
                Bench.THREE, id, List.of(0, 1, 2), caller.counter, 0, 1000, 2000, 10, 10, plan.roundsMax());
        Proposal call = switch (verbs(p).get(caller.verb)) {
            case ACQUIRE -> Proposal.acquire(settings, Bench.KEY, caller.basis, Bench.record("p" + p, 0));
            case TAKE -> {
                Epoch first = new Epoch(plan.proposers().get(0).wallMillis(), call(0, 0));
                yield Proposal.acquire(settings, Bench.KEY, first, Bench.record("p" + p, 0));
            }
            case RENEW -> Proposal.update(settings, Bench.KEY, caller.basis, Bench.record("p" + p, 1), Intent.RENEW);
            case AMEND -> Proposal.update(settings, Bench.KEY, caller.basis, Bench.record("p" + p, 1), Intent.PROCLAIM);
            case RELEASE -> Proposal.release(settings, Bench.KEY, caller.basis);
            case READ -> Proposal.read(settings, Bench.KEY);
        };
        caller.call = call;
        judge().begun(id);
        List<Id> more = new ArrayList<>(begun);
        more.add(id);
        begun = more;
        take(p, call.begin(now(p)));
    }

    private void take(int p, ProposalStep step) {
        for (ProposalStep.Send send : step.sends()) {
            if (send.message() instanceof Message.Accept accept) {
                judge().sent(accept);
            }
            send(new Envelope(true, send.voter(), p, send.message()));
        }
        Outcome outcome = step.ended();
        if (outcome != null) {
            Caller caller = callers[p];
            judge().ended(call(p, caller.verb), outcome);
            if (outcome instanceof Outcome.Written written) {
                caller.basis = written.value().write();
            } else if (outcome instanceof Outcome.Read read) {
                caller.basis = read.value() == null ? Epoch.NONE : read.value().write();
            }
            caller.counter = caller.call == null ? 0 : caller.call.seen();
            caller.verb++;
            begin(p);
        }
    }

    // ---- the network ----

    private void send(Envelope envelope) {
        if (!isAwaited(envelope)) {
            return;
        }
        if (plan.answersAtOnce() && !envelope.isToVoter()) {
            if (!losesAnswers) {
                answer(envelope);
            }
            return;
        }
        int number = envelopes.number(envelope);
        int at = Arrays.binarySearch(sent, number);
        if (at < 0) {
            int[] more = new int[sent.length + 1];
            int before = -at - 1;
            System.arraycopy(sent, 0, more, 0, before);
            more[before] = number;
            System.arraycopy(sent, before, more, before + 1, sent.length - before);
            sent = more;
            place(envelope.voter()).sent += envelopes.hash(number);
        }
    }

    /** Answers that no proposer awaits any more are as good as lost. */
    private void forget() {
        int[] left = new int[sent.length];
        int count = 0;
        for (int number : sent) {
            Envelope envelope = envelopes.envelope(number);
            if (isAwaited(envelope)) {
                left[count++] = number;
            } else {
                place(envelope.voter()).sent -= envelopes.hash(number);
            }
        }
        sent = count == sent.length ? sent : Arrays.copyOf(left, count);
    }

    private boolean isAwaited(Envelope envelope) {
        if (envelope.isToVoter()) {
            return true;
        }
        Caller caller = callers[envelope.to()];
        return caller.call != null
                && envelope.message() instanceof Message.Answer answer
                && answer.call().equals(call(envelope.to(), caller.verb))
                && caller.call.awaits(answer);
    }

    // ---- telling states apart ----

    /** Tells it from others, but for exchanges of places. */
    long hash() {
        boolean withStarts = plan.restarts() != Restarts.NONE;
        long[] seen = judged();
        Digest all = new Digest(17);
        joins.forEach(join -> all.add(join.to() + 10 * join.message().call().low()));
        all.add(voterCrashed * 2L + (crashed ? 1 : 0) + 31L * begunBeforeCrash.size());
        all.add(seen[VOTERS]);
        for (Caller caller : callers) {
            all.add(caller.digests(VOTERS, withStarts)[VOTERS]);
        }
        long[] hashes = new long[VOTERS];
        for (int v = 0; v < VOTERS; v++) {
            Digest place = new Digest(places[v].digest(withStarts));
            place.add(places[v].sent);
            place.add(seen[v]);
            for (Caller caller : callers) {
                place.add(caller.digests(VOTERS, withStarts)[v]);
            }
            hashes[v] = place.value();
        }
        if (envelopes.isSymmetric()) {
            Arrays.sort(hashes);
            exchanges = hashes[0] == hashes[2] ? 1 : hashes[0] == hashes[1] || hashes[1] == hashes[2] ? 3 : 6;
        }
        for (long hash : hashes) {
            all.add(hash);
        }
        return all.value();
    }

    private long[] judged() {
        long[] known = judged;
        if (known == null) {
            known = new long[VOTERS + 1];
            for (int v = 0; v < VOTERS; v++) {
                Digest one = new Digest(11);
                judge.digest(v, one::add);
                known[v] = one.value();
            }
            Digest all = new Digest(13);
            judge.digest(all::add);
            known[VOTERS] = all.value();
            judged = known;
        }
        return known;
    }
}
