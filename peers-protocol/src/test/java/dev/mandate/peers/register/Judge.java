package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Judges what voters accepted and calls were told, by what was ever accepted, not by what is left of it. Counts
 * majorities itself.
 *
 * <p>A write runs until its lease, counted from when its call began, is over. Only what still runs is judged against,
 * because voters forget values after a quarantine, which no lease outlasts: whoever has lost its lease may be
 * overwritten, and an acquire that nobody remembers says nothing about the next one's token. Promises are not
 * forgotten, so tokens rise even then; but that is not what is promised where a majority loses its files.
 *
 * <ul>
 *   <li><em>chain</em>: what is chosen over a write that runs descends from it. So no update is lost, and one write per
 *       basis.
 *   <li><em>token</em>: an acquire's token is above those of all acquires chosen before it that run.
 *   <li><em>refused</em>: no write that was refused is chosen while it runs.
 *   <li><em>written</em>: a write that was told written was chosen, or what descends from it.
 *   <li><em>read</em>: a read shows what was chosen, and every write that was told written before it began and runs, or
 *       what descends from it.
 * </ul>
 */
final class Judge {
    private final int majority;
    private final Map<Epoch, Value> carried;
    private final Map<Epoch, Integer> acceptors;

    /** By epoch, in the order of time. */
    private final List<Vote> chosen;

    /** By write, also what can't be judged any more. */
    private final Set<Value> everChosen;

    private final Map<Epoch, Value> byWrite;
    private final Set<Id> over;
    private final Set<Id> refused;
    private final List<Value> confirmed;
    private final Map<Id, List<Value>> mustShow;

    Judge(int voters) {
        majority = (voters + 2) / 2;
        carried = new HashMap<>();
        acceptors = new HashMap<>();
        chosen = new ArrayList<>();
        everChosen = new HashSet<>();
        byWrite = new HashMap<>();
        over = new HashSet<>();
        refused = new HashSet<>();
        confirmed = new ArrayList<>();
        mustShow = new HashMap<>();
    }

    Judge(Judge other) {
        majority = other.majority;
        carried = new HashMap<>(other.carried);
        acceptors = new HashMap<>(other.acceptors);
        chosen = new ArrayList<>(other.chosen);
        everChosen = new HashSet<>(other.everChosen);
        byWrite = new HashMap<>(other.byWrite);
        over = new HashSet<>(other.over);
        refused = new HashSet<>(other.refused);
        confirmed = new ArrayList<>(other.confirmed);
        mustShow = new HashMap<>(other.mustShow);
    }

    /** All voters hold {@code vote} from the beginning. */
    void given(Vote vote) {
        carried.put(vote.epoch(), vote.value());
        byWrite.put(vote.value().write(), vote.value());
        chosen.add(vote);
        everChosen.add(vote.value());
        confirmed.add(vote.value());
    }

    void begun(Id call) {
        mustShow.put(call, List.copyOf(confirmed));
    }

    void sent(Message.Accept accept) {
        Value before = carried.put(accept.epoch(), accept.value());
        if (before != null && !before.equals(accept.value())) {
            throw new Violation("one value per epoch", before + " and " + accept.value());
        }
        byWrite.put(accept.value().write(), accept.value());
    }

    /** Whether it was said already that this voter accepted in this epoch. */
    boolean hasAccepted(int voter, Epoch epoch) {
        return (acceptors.getOrDefault(epoch, 0) >> voter & 1) == 1;
    }

    /** A voter accepted in an epoch. */
    void accepted(int voter, Epoch epoch) {
        int before = acceptors.getOrDefault(epoch, 0);
        int now = before | 1 << voter;
        acceptors.put(epoch, now);
        Value value = carried.get(epoch);
        if (value != null && Integer.bitCount(before) < majority && Integer.bitCount(now) >= majority) {
            chosen.add(new Vote(epoch, value));
            everChosen.add(value);
            judge();
        }
    }

    /** The lease of a call's write is over. */
    void over(Id call) {
        over.add(call);
    }

    private boolean runs(Value value) {
        return !over.contains(value.write().id());
    }

    void ended(Id call, Outcome outcome) {
        if (outcome instanceof Outcome.Refused told) {
            refused.add(call);
            if (told.isKnown() && told.value() != null) {
                requireChosen("refused", told.value());
            }
            judge();
        } else if (outcome instanceof Outcome.Written written) {
            Value value = written.value();
            if (everChosen.stream().noneMatch(each -> descends(each, value))) {
                throw new Violation("written", value + " was not chosen, nor anything on it");
            }
            confirmed.add(value);
        } else if (outcome instanceof Outcome.Read read) {
            Value shown = read.value();
            if (shown != null) {
                requireChosen("read", shown);
            }
            for (Value before : mustShow.getOrDefault(call, List.of())) {
                if (runs(before) && (shown == null || !descends(shown, before))) {
                    throw new Violation("read", shown + " shown after " + before);
                }
            }
        }
        mustShow.remove(call);
    }

    private void requireChosen(String rule, Value value) {
        if (!everChosen.contains(value)) {
            throw new Violation(rule, value + " was not chosen");
        }
    }

    private boolean descends(Value value, Value ancestor) {
        Value each = value;
        while (each != null) {
            if (each.write().equals(ancestor.write())) {
                return true;
            }
            each = byWrite.get(each.basis());
        }
        return false;
    }

    private void judge() {
        for (Vote vote : chosen) {
            if (refused.contains(vote.value().write().id()) && runs(vote.value())) {
                throw new Violation("refused", vote.value() + " was refused and stands");
            }
        }
        for (Vote lower : chosen) {
            if (!runs(lower.value())) {
                continue;
            }
            for (Vote higher : chosen) {
                if (higher.epoch().compareTo(lower.epoch()) <= 0
                        || higher.value().equals(lower.value())) {
                    continue;
                }
                if (!descends(higher.value(), lower.value())) {
                    throw new Violation("chain", higher + " is chosen over " + lower);
                }
                if (isAcquire(higher.value()) && isAcquire(lower.value()) && token(higher) <= token(lower)) {
                    throw new Violation("token", higher + " after " + lower);
                }
            }
        }
    }

    private static boolean isAcquire(Value value) {
        return value.record() != null && value.record().term() == value.write().counter();
    }

    private static long token(Vote vote) {
        return vote.value().write().counter();
    }

    /** Forgets what can't be judged any more, but for ancestors. */
    void prune() {
        chosen.removeIf(vote -> !runs(vote.value()));
        confirmed.removeIf(value -> !runs(value));
    }

    int chosen() {
        return chosen.size();
    }

    /** What happened at a voter. */
    void digest(int voter, LongConsumer digest) {
        long sum = 0;
        for (Map.Entry<Epoch, Integer> each : acceptors.entrySet()) {
            if ((each.getValue() >> voter & 1) == 1) {
                sum += LongSet.mix(
                        each.getKey().counter() * 1000 + each.getKey().id().low());
            }
        }
        digest.accept(sum);
    }

    /** What happened elsewhere. */
    void digest(LongConsumer digest) {
        digest.accept(over.size());
        long sum = 0;
        for (Id each : refused) {
            sum += LongSet.mix(each.low());
        }
        for (Value each : confirmed) {
            sum += LongSet.mix(each.write().counter() * 1000 + each.write().id().low() + 500);
        }
        digest.accept(sum);
        sum = 0;
        for (Map.Entry<Epoch, Value> each : carried.entrySet()) {
            Epoch write = each.getValue().write();
            sum += LongSet.mix(each.getKey().counter() * 1000
                    + each.getKey().id().low()
                    + 31 * write.id().low());
        }
        digest.accept(sum);
        sum = 0;
        for (Map.Entry<Id, List<Value>> each : mustShow.entrySet()) {
            sum += LongSet.mix(each.getKey().low() * 64 + each.getValue().size());
        }
        digest.accept(sum);
    }
}
