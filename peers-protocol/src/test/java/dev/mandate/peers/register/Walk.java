package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One random walk, decided by its seed: some voters and proposers on a network that loses, doubles and delays, now and
 * then beyond a lease. Voters restart with the file kept, lost, or that of an earlier start, often several times in a
 * row, two of five at once; never are so many files lost or old that a majority is without. Wall clocks are far apart.
 * An old file is one that another start has replaced, met by all others: see the assumptions.
 */
final class Walk {
    static final long LEASE = Bench.LEASE;
    private static final int CALLS = 60;

    private final Random random;
    private final int voters;
    private final Group group;
    private final Judge judge;
    private final PriorityQueue<Event> queue =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final Voter[] machines;
    private final List<List<DurableState>> disks = new ArrayList<>();
    private final int[] lives;
    private final boolean[] isDown;
    private final int[] slowDisk;

    /** What each voter accepted last, whether it was chosen or not: clients hear of it. */
    private final @Nullable Value[] news;

    private final Caller[] callers;
    private long now;
    private long order;
    private int begun;
    int written;
    int restarts;
    int lost;
    int old;

    private record Event(long at, long order, Runnable what) {}

    /** Makes one call after the other, on what it saw last. */
    private static final class Caller {
        long wallOffset;

        @Nullable
        Proposal call;

        Id id = Id.NONE;
        Epoch basis = Epoch.NONE;

        @Nullable
        Value held;

        long seen;
        long frozenUntil;
    }

    Walk(long seed) {
        random = new Random(seed);
        voters = random.nextInt(4) == 0 ? 5 : 3;
        group = new Group(voters);
        judge = new Judge(voters);
        machines = new Voter[voters];
        lives = new int[voters];
        isDown = new boolean[voters];
        slowDisk = new int[voters];
        news = new Value[voters];
        callers = new Caller[2 + random.nextInt(3)];
        for (int i = 0; i < callers.length; i++) {
            callers[i] = new Caller();
            callers[i].wallOffset = random.nextInt(5) * 500L;
        }
    }

    /** Walks to the end; throws a {@link Violation}. */
    Walk run() {
        for (int v = 0; v < voters; v++) {
            disks.add(new ArrayList<>(List.of(DurableState.none(group))));
            start(v, new Recall.Missing());
        }
        for (int c = 0; c < callers.length; c++) {
            int caller = c;
            at(random.nextInt(3 * (int) LEASE), () -> call(caller));
        }
        if (random.nextInt(5) > 0) {
            at(2 * LEASE + random.nextInt(2 * (int) LEASE), this::crash);
        }
        while (!queue.isEmpty() && begun < CALLS) {
            Event event = queue.remove();
            now = event.at();
            event.what().run();
        }
        return this;
    }

    private void at(long delay, Runnable what) {
        queue.add(new Event(now + delay, order++, what));
    }

    private void start(int v, Recall recall) {
        int life = ++lives[v];
        isDown[v] = false;
        slowDisk[v] = random.nextInt(3);
        VoterSettings settings = new VoterSettings(group, v, LEASE, 1 + random.nextInt(3), LEASE / 4);
        machines[v] = new Voter(settings, recall, new Id(1 + v, random.nextLong()), now);
        take(v, life, machines[v].begin());
        wake(v, life);
    }

    private void wake(int v, int life) {
        at(Math.max(1, machines[v].wakeAtNanos(now) - now), () -> {
            if (lives[v] == life && !isDown[v]) {
                take(v, life, machines[v].step(new VoterEvent.Tick(), now));
                wake(v, life);
            }
        });
    }

    private void take(int v, int life, List<VoterAction> actions) {
        for (VoterAction action : actions) {
            if (action instanceof VoterAction.Reply reply) {
                if (reply.message() instanceof Message.Accepted accepted) {
                    judge.accepted(v, accepted.epoch());
                }
                if (reply.to() < voters) {
                    toVoter((int) reply.to(), v, reply.message());
                } else {
                    toCaller((int) reply.to() - voters, v, reply.message());
                }
            } else if (action instanceof VoterAction.Changed changed) {
                news[v] = changed.value();
            } else if (action instanceof VoterAction.Tell tell) {
                toVoter(tell.voter(), v, tell.message());
            } else if (action instanceof VoterAction.Persist persist) {
                at(slowDisk[v] == 0 ? 0 : random.nextInt((int) LEASE / 8), () -> {
                    if (lives[v] == life && !isDown[v]) {
                        write(v, persist.state());
                        take(v, life, machines[v].step(new VoterEvent.Persisted(persist.sequence()), now));
                    }
                });
            }
        }
    }

    private void write(int v, DurableState state) {
        List<DurableState> versions = disks.get(v);
        DurableState last = versions.get(versions.size() - 1);
        // Kept for later: the last file of each start that voted.
        if (last.covers().equals(state.covers())) {
            versions.remove(versions.size() - 1);
        }
        versions.add(state);
    }

    private void crash() {
        int v = random.nextInt(voters);
        int times = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1;
        boolean isFaultless = true;
        for (int other = 0; other < voters; other++) {
            isFaultless &= machines[other].status(now).phase() == VoterStatus.Phase.VOTING;
        }
        crash(v, times, isFaultless ? random.nextInt(4) : 0);
        if (isFaultless && voters == 5 && random.nextInt(3) == 0) {
            // Two files of five may be lost or old at once.
            crash((v + 1 + random.nextInt(4)) % 5, 1, random.nextInt(4));
        }
        at((long) (LEASE * (0.2 + 3 * random.nextDouble())), this::crash);
    }

    private void crash(int v, int times, int fate) {
        if (isDown[v]) {
            return;
        }
        restarts++;
        isDown[v] = true;
        lives[v]++;
        at(random.nextInt((int) LEASE / 2), () -> {
            List<DurableState> versions = disks.get(v);
            Recall recall = new Recall.Intact(versions.get(versions.size() - 1));
            if (fate == 2 && isMetByAll(v)) {
                lost++;
                recall = random.nextBoolean() ? new Recall.Missing() : new Recall.Damaged("walk");
                disks.set(v, new ArrayList<>(List.of(DurableState.none(group))));
            } else if (fate == 3 && versions.size() > 2 && isMetByAll(v)) {
                old++;
                versions.remove(versions.size() - 1);
                recall = new Recall.Intact(versions.get(versions.size() - 1));
            }
            start(v, recall);
            if (times > 1) {
                at(random.nextInt((int) LEASE * 3 / 2), () -> crash(v, times - 1, 0));
            }
        });
    }

    /** Whether all others remember the last start of that voter which voted. */
    private boolean isMetByAll(int v) {
        List<DurableState> versions = disks.get(v);
        Start last = versions.get(versions.size() - 1).covers();
        for (int other = 0; other < voters; other++) {
            List<DurableState> theirs = disks.get(other);
            if (other != v && !theirs.get(theirs.size() - 1).known().get(v).equals(last)) {
                return false;
            }
        }
        return true;
    }

    private long delay() {
        return switch (random.nextInt(30)) {
            case 0 -> random.nextInt(4 * (int) LEASE);
            case 1, 2, 3 -> random.nextInt((int) LEASE / 2);
            default -> 1 + random.nextInt(20);
        };
    }

    private int copies() {
        int draw = random.nextInt(20);
        return draw < 2 ? 0 : draw < 4 ? 2 : 1;
    }

    private void toVoter(int v, long from, Message message) {
        for (int copy = copies(); copy > 0; copy--) {
            at(delay(), () -> {
                if (!isDown[v]) {
                    take(v, lives[v], machines[v].step(new VoterEvent.Received(from, message), now));
                }
            });
        }
    }

    private void toCaller(int c, int voter, Message message) {
        for (int copy = copies(); copy > 0; copy--) {
            at(delay(), () -> arrive(c, voter, message));
        }
    }

    private void arrive(int c, int voter, Message message) {
        Caller caller = callers[c];
        if (now < caller.frozenUntil) {
            at(caller.frozenUntil - now, () -> arrive(c, voter, message));
        } else if (caller.call != null
                && message instanceof Message.Answer answer
                && answer.call().equals(caller.id)) {
            take(c, caller.call.step(voter, answer, moment(caller)));
        }
    }

    private Moment moment(Caller caller) {
        return new Moment(now, now / 10 + caller.wallOffset);
    }

    private void call(int c) {
        Caller caller = callers[c];
        begun++;
        Id id = new Id(100 + c, begun);
        List<Integer> places = new ArrayList<>();
        for (int v = 0; v < voters; v++) {
            places.add(v);
        }
        java.util.Collections.shuffle(places, random);
        // Some calls outlast a quarantine.
        long deadline = now + (random.nextInt(4) == 0 ? 3 * LEASE : LEASE / 2);
        ProposalSettings settings = new ProposalSettings(
                group,
                id,
                places,
                random.nextInt(3) == 0 ? 0 : caller.seen,
                random.nextLong(),
                deadline,
                LEASE / 2,
                100,
                20,
                6);
        Value heard = news[random.nextInt(voters)];
        if (heard != null && random.nextInt(6) == 0) {
            caller.held = heard;
            caller.basis = heard.write();
        }
        Value held = caller.held;
        Proposal call;
        int draw = random.nextInt(10);
        if (draw < 3) {
            call = Proposal.read(settings, Bench.KEY);
        } else if (held == null || held.record() == null) {
            call = Proposal.acquire(settings, Bench.KEY, caller.basis, Bench.record("c" + c, 0));
        } else if (draw < 6) {
            call = Proposal.update(
                    settings, Bench.KEY, caller.basis, held.record(), draw < 5 ? Intent.RENEW : Intent.PROCLAIM);
        } else if (draw < 8) {
            call = Proposal.release(settings, Bench.KEY, caller.basis);
        } else {
            call = Proposal.acquire(settings, Bench.KEY, caller.basis, Bench.record("c" + c, 0));
        }
        caller.call = call;
        caller.id = id;
        judge.begun(id);
        at(LEASE, () -> {
            judge.over(id);
            judge.prune();
        });
        if (random.nextInt(12) == 0) {
            at(random.nextInt(30), () -> caller.frozenUntil = now + random.nextInt(2 * (int) LEASE));
        }
        take(c, call.begin(moment(caller)));
        tick(c, id);
    }

    private void tick(int c, Id id) {
        Caller caller = callers[c];
        Proposal call = caller.call;
        if (call == null || !caller.id.equals(id) || call.isOver()) {
            return;
        }
        at(Math.max(1, Math.max(call.wakeAtNanos(), caller.frozenUntil) - now), () -> {
            if (caller.id.equals(id) && !call.isOver()) {
                if (now >= caller.frozenUntil) {
                    take(c, call.tick(moment(caller)));
                }
                tick(c, id);
            }
        });
    }

    private void take(int c, ProposalStep step) {
        Caller caller = callers[c];
        for (ProposalStep.Send send : step.sends()) {
            if (send.message() instanceof Message.Accept accept) {
                judge.sent(accept);
            }
            toVoter(send.voter(), voters + c, send.message());
        }
        Outcome outcome = step.ended();
        if (outcome != null && caller.call != null) {
            caller.seen = Math.max(caller.seen, caller.call.seen());
            judge.ended(caller.id, outcome);
            Value value = null;
            boolean isKnown = true;
            if (outcome instanceof Outcome.Written done) {
                written++;
                value = done.value();
            } else if (outcome instanceof Outcome.Read read) {
                value = read.value();
            } else if (outcome instanceof Outcome.Refused refused) {
                value = refused.value();
                isKnown = refused.isKnown();
            } else {
                isKnown = false;
            }
            if (isKnown) {
                caller.held = value;
                caller.basis = value == null ? Epoch.NONE : value.write();
            }
            at(random.nextInt(random.nextInt(3) == 0 ? (int) LEASE : 40) + 1L, () -> call(c));
        }
    }

    @Override
    public String toString() {
        return voters + " voters, " + callers.length + " callers, lives " + Arrays.toString(lives);
    }
}
