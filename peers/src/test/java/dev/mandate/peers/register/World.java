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

/** A state of what an {@link Explorer} explores. Machines are shared between states until one of them steps. */
final class World {
    private static final int VOTERS = 3;

    private final Plan plan;
    private final Envelopes envelopes;
    private final Voter[] voters = new Voter[VOTERS];
    private final DurableState[] disks = new DurableState[VOTERS];
    private final long[] nows = new long[VOTERS];
    private final List<List<VoterAction.Persist>> unwritten = new ArrayList<>();
    private final @Nullable Proposal[] proposals;
    private final int[] verb;
    private final Epoch[] basis;
    private final long[] counters;
    private List<Envelope> joins = List.of();
    private int[] sent = new int[0];
    private Judge judge;
    private boolean crashed;
    private int exchanges = 1;
    private int voterCrashed = -1;
    private List<Id> begunBeforeCrash = List.of();
    private List<Id> begun = List.of();

    /** Voters that vote, and the first call of each proposer begun. */
    World(Plan plan, Envelopes envelopes) {
        this.plan = plan;
        this.envelopes = envelopes;
        judge = new Judge(VOTERS);
        int proposers = plan.proposers().size();
        proposals = new Proposal[proposers];
        verb = new int[proposers];
        basis = new Epoch[proposers];
        counters = new long[proposers];
        Epoch first = new Epoch(plan.ceiling(), new Id(0, 99));
        Vote held = new Vote(first, Bench.held(first, Epoch.NONE));
        for (int i = 0; i < VOTERS; i++) {
            unwritten.add(List.of());
            DurableState state = Bench.complete(plan.ceiling(), 1);
            disks[i] = state;
            voters[i] = new Voter(settings(i), new Recall.Intact(state), new Id(0, 10 + i), 0);
            Start start = new Start(2, new Id(0, 10 + i));
            take(i, voters[i].begin(), true);
            nows[i] = Bench.LEASE;
            take(i, voters[i].step(new VoterEvent.Tick(), nows[i]), true);
            Message.Welcome welcome = new Message.Welcome(
                    (i + 1) % VOTERS, start, start, start, Message.Ceiling.CONFIRMED, 0, List.of(), List.of());
            take(i, voters[i].step(new VoterEvent.Received(0, welcome), nows[i]), true);
            if (plan.isHeld()) {
                Message.Accept accept = new Message.Accept(Bench.KEY, first, held.value());
                take(i, voters[i].step(new VoterEvent.Received(0, accept), nows[i]), true);
            }
        }
        sent = new int[0];
        joins = List.of();
        judge = new Judge(VOTERS);
        if (plan.isHeld()) {
            judge.given(held);
        }
        Arrays.fill(basis, plan.isHeld() ? first : Epoch.NONE);
        for (int p = 0; p < proposers; p++) {
            begin(p);
        }
    }

    private World(World other) {
        plan = other.plan;
        envelopes = other.envelopes;
        System.arraycopy(other.voters, 0, voters, 0, VOTERS);
        System.arraycopy(other.disks, 0, disks, 0, VOTERS);
        System.arraycopy(other.nows, 0, nows, 0, VOTERS);
        unwritten.addAll(other.unwritten);
        proposals = other.proposals.clone();
        verb = other.verb.clone();
        basis = other.basis.clone();
        counters = other.counters.clone();
        joins = other.joins;
        sent = other.sent;
        judge = other.judge;
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

    private Moment now(int proposer) {
        return new Moment(0, plan.proposers().get(proposer).wallMillis());
    }

    private void begin(int p) {
        List<Verb> verbs = plan.proposers().get(p).verbs();
        if (verb[p] >= verbs.size()) {
            proposals[p] = null;
            return;
        }
        Id id = call(p, verb[p]);
        ProposalSettings settings =
                new ProposalSettings(Bench.THREE, id, List.of(0, 1, 2), counters[p], 0, 1000, 10, 10, plan.roundsMax());
        Epoch on = basis[p];
        Proposal proposal = switch (verbs.get(verb[p])) {
            case ACQUIRE -> Proposal.acquire(settings, Bench.KEY, on, Bench.record("p" + p, 0));
            case RENEW -> Proposal.update(settings, Bench.KEY, on, Bench.record("p" + p, 1), Intent.RENEW);
            case AMEND -> Proposal.update(settings, Bench.KEY, on, Bench.record("p" + p, 1), Intent.PROCLAIM);
            case RELEASE -> Proposal.release(settings, Bench.KEY, on);
            case READ -> Proposal.read(settings, Bench.KEY);
        };
        proposals[p] = proposal;
        own();
        judge.begun(id);
        List<Id> more = new ArrayList<>(begun);
        more.add(id);
        begun = more;
        take(p, proposal.begin(now(p)));
    }

    private void own() {
        judge = new Judge(judge);
    }

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
            Envelope envelope = envelopes.envelope(number);
            World next = new World(this);
            if (next.deliver(envelope)) {
                out.add(next);
            }
        }
        for (int p = 0; p < proposals.length; p++) {
            Proposal proposal = proposals[p];
            if (proposal == null) {
                continue;
            }
            if (proposal.waitsForTime()) {
                World next = new World(this);
                Proposal copy = new Proposal(proposal);
                next.proposals[p] = copy;
                next.take(p, copy.tick(new Moment(copy.wakeAtNanos(), now(p).wallMillis())));
                out.add(next);
            }
            if (plan.hasDeadlines()
                    && verb[p] + 1 < plan.proposers().get(p).verbs().size()) {
                World next = new World(this);
                Proposal copy = new Proposal(proposal);
                next.proposals[p] = copy;
                next.take(p, copy.tick(new Moment(1000, 0)));
                out.add(next);
            }
        }
        for (int v = 0; v < VOTERS; v++) {
            if (!unwritten.get(v).isEmpty()) {
                World next = new World(this);
                next.write(v);
                out.add(next);
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

    private void restarts(List<World> out) {
        Restarts restarts = plan.restarts();
        if (restarts != Restarts.NONE && !crashed) {
            // Which one it is makes no difference, as the others are alike.
            World next = new World(this);
            next.crash(0, restarts == Restarts.FILE_KEPT);
            out.add(next);
        }
        if (voterCrashed >= 0) {
            World next = new World(this);
            int v = voterCrashed;
            next.voterCrashed = -1;
            next.own();
            begunBeforeCrash.forEach(next.judge::over);
            next.nows[v] += Bench.LEASE;
            next.step(v, new VoterEvent.Tick());
            out.add(next);
        }
    }

    private void crash(int v, boolean isFileKept) {
        crashed = true;
        voterCrashed = v;
        begunBeforeCrash = begun;
        unwritten.set(v, List.of());
        Recall recall = isFileKept ? new Recall.Intact(disks[v]) : new Recall.Missing();
        disks[v] = isFileKept ? disks[v] : DurableState.none(Bench.THREE);
        voters[v] = new Voter(settings(v), recall, new Id(0, 20 + v), nows[v]);
        take(v, voters[v].begin(), true);
    }

    private void write(int v) {
        VoterAction.Persist persist = unwritten.get(v).get(0);
        unwritten.set(v, unwritten.get(v).subList(1, unwritten.get(v).size()));
        disks[v] = persist.state();
        step(v, new VoterEvent.Persisted(persist.sequence()));
    }

    private void step(int v, VoterEvent event) {
        voters[v] = new Voter(voters[v]);
        // Only the one that restarts can lose what was not written.
        take(v, voters[v].step(event, nows[v]), v > 0 || crashed || !plan.isDiskSlow());
    }

    private boolean deliver(Envelope envelope) {
        if (!isAwaited(envelope)) {
            return false;
        }
        if (envelope.isToVoter()) {
            step(envelope.to(), new VoterEvent.Received(envelope.from(), envelope.message()));
            return true;
        }
        int p = envelope.to();
        Proposal proposal = proposals[p];
        if (proposal == null
                || !envelope.message().call().equals(call(p, verb[p]))
                || !(envelope.message() instanceof Message.Answer answer)) {
            return false;
        }
        Proposal copy = new Proposal(proposal);
        proposals[p] = copy;
        take(p, copy.step(envelope.from(), answer, now(p)));
        return true;
    }

    private void take(int v, List<VoterAction> actions, boolean isDiskFast) {
        for (VoterAction action : actions) {
            if (action instanceof VoterAction.Reply reply) {
                if (reply.message() instanceof Message.Accepted accepted) {
                    own();
                    judge.accepted(v, accepted.epoch());
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
                if (isDiskFast) {
                    disks[v] = persist.state();
                    take(v, voters[v].step(new VoterEvent.Persisted(persist.sequence()), nows[v]), true);
                } else {
                    List<VoterAction.Persist> more = new ArrayList<>(unwritten.get(v));
                    more.add(persist);
                    unwritten.set(v, more);
                }
            }
        }
    }

    private void take(int p, ProposalStep step) {
        for (ProposalStep.Send send : step.sends()) {
            if (send.message() instanceof Message.Accept accept) {
                own();
                judge.sent(accept);
            }
            send(new Envelope(true, send.voter(), p, send.message()));
        }
        Outcome outcome = step.ended();
        if (outcome != null) {
            own();
            judge.ended(call(p, verb[p]), outcome);
            if (outcome instanceof Outcome.Written written) {
                basis[p] = written.value().write();
            } else if (outcome instanceof Outcome.Read read) {
                basis[p] = read.value() == null ? Epoch.NONE : read.value().write();
            }
            Proposal ended = proposals[p];
            counters[p] = ended == null ? 0 : ended.seen();
            verb[p]++;
            begin(p);
        }
    }

    private void send(Envelope envelope) {
        int number = envelopes.number(envelope);
        int at = Arrays.binarySearch(sent, number);
        if (at < 0) {
            int[] more = new int[sent.length + 1];
            int before = -at - 1;
            System.arraycopy(sent, 0, more, 0, before);
            more[before] = number;
            System.arraycopy(sent, before, more, before + 1, sent.length - before);
            sent = more;
        }
    }

    /** Tells it from others, but for exchanges of places. */
    long hash() {
        boolean withStarts = plan.restarts() != Restarts.NONE;
        Digest all = new Digest(17);
        for (int p = 0; p < proposals.length; p++) {
            all.add(verb[p]);
            all.add(basis[p].counter());
            Proposal proposal = proposals[p];
            if (proposal != null) {
                proposal.digest(all::add);
            }
        }
        joins.forEach(join -> all.add(join.to() + 10 * join.message().call().low()));
        for (long counter : counters) {
            all.add(counter);
        }
        all.add(voterCrashed * 2L + (crashed ? 1 : 0) + 31L * begunBeforeCrash.size());
        judge.digest(all::add);
        Digest[] places = new Digest[VOTERS];
        for (int v = 0; v < VOTERS; v++) {
            places[v] = new Digest(3);
            voters[v].digest(withStarts, places[v]::add);
            judge.digest(v, places[v]::add);
            for (Proposal proposal : proposals) {
                if (proposal != null) {
                    proposal.digest(v, withStarts, places[v]::add);
                }
            }
        }
        long[] sets = new long[VOTERS];
        for (int number : sent) {
            Envelope envelope = envelopes.envelope(number);
            if (isAwaited(envelope)) {
                sets[envelope.isToVoter() ? envelope.to() : envelope.from()] += envelopes.hash(number);
            }
        }
        long[] hashes = new long[VOTERS];
        for (int v = 0; v < VOTERS; v++) {
            places[v].add(sets[v]);
            hashes[v] = places[v].value;
        }
        if (plan.isSymmetric()) {
            Arrays.sort(hashes);
            exchanges = hashes[0] == hashes[2] ? 1 : hashes[0] == hashes[1] || hashes[1] == hashes[2] ? 3 : 6;
        }
        for (long hash : hashes) {
            all.add(hash);
        }
        return all.value;
    }

    private boolean isAwaited(Envelope envelope) {
        if (envelope.isToVoter()) {
            return true;
        }
        Proposal proposal = proposals[envelope.to()];
        return proposal != null
                && envelope.message() instanceof Message.Answer answer
                && answer.call().equals(call(envelope.to(), verb[envelope.to()]))
                && proposal.awaits(answer);
    }

    private static final class Digest {
        private long value;

        Digest(long value) {
            this.value = value;
        }

        void add(long more) {
            value = LongSet.mix(value * 0x9E3779B97F4A7C15L + more);
        }
    }
}
