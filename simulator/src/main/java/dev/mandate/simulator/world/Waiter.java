package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.QueueEvent;
import dev.mandate.simulator.check.TurnCheck;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One process's part in its machine's queues, in one of its lives: it carries requests, and hints about the queues
 * that the machine follows.
 */
final class Waiter implements FollowerHint.Follower {
    final Candidate candidate;
    private final World world;
    private final Map<Long, RecordKey> followed = new TreeMap<>();
    /** The places told in the current step; the elections may report a vacancy only later in it. */
    private final List<Told> told = new ArrayList<>();

    private record Told(RecordKey election, int place) {}

    Waiter(Candidate candidate) {
        this.candidate = candidate;
        this.world = candidate.world;
    }

    // ---- what the machine wants ----

    void act(QueueAction action) {
        if (action instanceof QueueAction.Follow follow) {
            followed.put(follow.number(), follow.prefix());
            if (world.knobs.watch) {
                candidate.tell(new QueueEvent.Watched(follow.number(), true));
            }
        } else if (action instanceof QueueAction.Leave leave) {
            followed.remove(leave.number());
        } else if (action instanceof QueueAction.ListPage page) {
            world.mix(page.request());
            world.network.request(new Call(candidate, page, page.request(), page.from()));
        }
    }

    /** A request of the machine that keeps a place. */
    void ask(ElectionAction.Request request) {
        candidate.load.asked(candidate.get().monotonicNanos());
        world.mix(request.request());
        world.network.request(new Call(candidate, request, request.request(), Cursor.START));
    }

    // ---- what happens ----

    @SuppressWarnings("unchecked")
    void answered(Call call, Object answer) {
        if (call.action instanceof QueueAction.ListPage asked) {
            candidate.tell(
                    answer instanceof Page<?>
                            ? new QueueEvent.Listed(asked.number(), asked.request(), (Page<Observation>) answer)
                            : new QueueEvent.NotListed(
                                    asked.number(),
                                    asked.request(),
                                    answer == Answer.FAULTED ? "not permitted" : null));
            return;
        }
        RecordKey key = ((ElectionAction.Request) call.action).key();
        if (answer == Answer.FAILED) {
            candidate.tellOfInstance(key, new ElectionEvent.Unanswered(call.request));
        } else if (answer == Answer.FAULTED) {
            candidate.tellOfInstance(key, new ElectionEvent.Faulted(call.request, "not permitted"));
        } else if (answer instanceof Observation seen) {
            candidate.tellOfInstance(key, new ElectionEvent.ReadAnswered(call.request, seen));
        } else {
            candidate.tellOfInstance(key, new ElectionEvent.WriteAnswered(call.request, (WriteOutcome) answer));
        }
    }

    @Override
    public void hint(Observation seen) {
        for (Map.Entry<Long, RecordKey> each : List.copyOf(followed.entrySet())) {
            if (seen.key().isBelow(each.getValue())) {
                candidate.tell(new QueueEvent.Hinted(each.getKey(), seen));
            }
        }
    }

    @Override
    public void gap() {
        List.copyOf(followed.keySet()).forEach(number -> candidate.tell(new QueueEvent.Gap(number)));
    }

    // ---- what is checked ----

    /**
     * The machine tells an election its place. It may have tried to acquire earlier in this step, so a later turn
     * counts only from the next step on.
     */
    void places(RecordKey election, int place) {
        told.add(new Told(election, place));
        if (place < turns(election).place()) {
            apply(election);
        }
    }

    private TurnCheck turns(RecordKey election) {
        return candidate.posts[World.election(election)].turns;
    }

    /** An election has reported a vacancy: the places it was told in this step count from now. */
    void apply(RecordKey election) {
        for (Told each : told) {
            if (each.election.equals(election)) {
                turns(election).placed(each.place, candidate.get().monotonicNanos());
            }
        }
    }

    /** The step is over. */
    void stepped() {
        List.copyOf(told).forEach(each -> apply(each.election));
        told.clear();
    }
}
