package dev.mandate.peers.node;

import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Proposal;
import dev.mandate.peers.register.ProposalStep;
import dev.mandate.peers.register.ProposalStep.Send;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.register.Vote;
import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing, merged from the pages of a majority of voters. Each voter's page ends at some path; the merged
 * page ends at the first of these. A key at which these voters do not show the same write is read.
 */
final class PageOfKeys implements Running {
    /** The most keys on a page. */
    static final int KEYS_MAX = 200;

    private final Group group;
    private final Id id;
    private final Call.ListKeys asked;
    private final List<Integer> preference;
    private final long deadlineNanos;
    private final long resendNanos;
    private final Supplier<Id> ids;
    private final BiFunction<RecordKey, Id, Proposal> reads;

    private final Map<Integer, Message.Listed> pages = new HashMap<>();
    private final TreeMap<String, Observation> items = new TreeMap<>();
    private final Map<Id, Proposal> reading = new HashMap<>();
    private final Map<Id, RecordKey> keys = new HashMap<>();
    private boolean isMerged;
    private @Nullable String after;
    private long wakeNanos;
    private long seen;

    /**
     * A page that begins after {@link Call.ListKeys#after}.
     *
     * @param id of this call, which the voters' pages carry
     * @param preference all places, those to ask first in front
     * @param ids draws ids for reads
     * @param reads makes a read of a key, under an id
     */
    PageOfKeys(
            NodeSettings settings,
            Id id,
            Call.ListKeys asked,
            List<Integer> preference,
            long deadlineNanos,
            Supplier<Id> ids,
            BiFunction<RecordKey, Id, Proposal> reads) {
        this.group = settings.group();
        this.id = id;
        this.asked = asked;
        this.preference = preference;
        this.deadlineNanos = deadlineNanos;
        this.resendNanos = settings.resendNanos();
        this.ids = ids;
        this.reads = reads;
    }

    @Override
    public Step begin(Moment now) {
        return ask(preference.subList(0, group.majority()), now);
    }

    private Step ask(List<Integer> voters, Moment now) {
        if (now.nanos() - deadlineNanos >= 0) {
            return unknown();
        }
        Message message = new Message.ListKeys(id, asked.prefix(), asked.after(), KEYS_MAX);
        wakeNanos = now.nanos() + resendNanos;
        return new Step(voters.stream().map(voter -> new Send(voter, message)).toList(), null);
    }

    private List<Integer> silent() {
        return preference.stream().filter(voter -> !pages.containsKey(voter)).toList();
    }

    private Step unknown() {
        return new Step(List.of(), new CallResult.Ended(new Outcome.Unknown(isMerged ? List.of() : silent())));
    }

    @Override
    public Step answered(int voter, Message.Answer answer, Moment now) {
        if (now.nanos() - deadlineNanos >= 0) {
            return unknown();
        }
        if (answer instanceof Message.Listed listed) {
            if (isMerged || !listed.call().equals(id) || !listed.after().equals(asked.after())) {
                return Step.NOTHING;
            }
            pages.put(voter, listed);
            return pages.size() >= group.majority() ? merge(now) : Step.NOTHING;
        }
        Proposal read = reading.get(answer.call());
        return read == null ? Step.NOTHING : went(answer.call(), read.step(voter, answer, now));
    }

    @Override
    public Step reached(int voter, Moment now) {
        if (!isMerged) {
            return pages.containsKey(voter) ? Step.NOTHING : ask(List.of(voter), now);
        }
        return all(read -> read.reached(voter, now));
    }

    @Override
    public Step tick(Moment now) {
        if (now.nanos() - deadlineNanos >= 0) {
            return unknown();
        }
        if (!isMerged) {
            return now.nanos() - wakeNanos >= 0 ? ask(silent(), now) : Step.NOTHING;
        }
        return all(read -> read.tick(now));
    }

    private interface Push {
        ProposalStep to(Proposal read);
    }

    private Step all(Push push) {
        List<Send> sends = new ArrayList<>();
        for (Map.Entry<Id, Proposal> each : List.copyOf(reading.entrySet())) {
            Step step = went(each.getKey(), push.to(each.getValue()));
            sends.addAll(step.sends());
            if (step.result() != null) {
                return new Step(sends, step.result());
            }
        }
        return new Step(sends, null);
    }

    private Step merge(Moment now) {
        isMerged = true;
        TreeMap<String, List<Vote>> shown = new TreeMap<>();
        for (Message.Listed page : pages.values()) {
            String end = "";
            for (Message.Listed.At at : page.votes()) {
                end = at.key().path();
                shown.computeIfAbsent(end, path -> new ArrayList<>()).add(at.vote());
            }
            if (!page.isLast()) {
                after = after == null || end.compareTo(after) < 0 ? end : after;
            }
        }
        if (shown.size() > KEYS_MAX) {
            String last = shown.keySet().stream().skip(KEYS_MAX - 1).findFirst().orElseThrow();
            after = after == null || last.compareTo(after) < 0 ? last : after;
        }
        String end = after;
        List<Send> sends = new ArrayList<>();
        for (Map.Entry<String, List<Vote>> each : (end == null ? shown : shown.headMap(end, true)).entrySet()) {
            Step step = add(RecordKey.parse(each.getKey()), each.getValue(), now);
            sends.addAll(step.sends());
            if (step.result() != null) {
                return new Step(sends, step.result());
            }
        }
        return new Step(sends, end());
    }

    /** Adds a key that some voter shows. */
    private Step add(RecordKey key, List<Vote> votes, Moment now) {
        Vote first = votes.get(0);
        long same = votes.stream()
                .filter(vote -> vote.epoch().equals(first.epoch()))
                .count();
        if (same >= group.majority() && same == votes.size()) {
            items.put(key.path(), Value.observation(key, first.value()));
            return Step.NOTHING;
        }
        Id read = ids.get();
        Proposal proposal = reads.apply(key, read);
        keys.put(read, key);
        reading.put(read, proposal);
        return went(read, proposal.begin(now));
    }

    private Step went(Id read, ProposalStep step) {
        if (step.ended() == null) {
            return new Step(step.sends(), null);
        }
        Proposal proposal = reading.remove(read);
        seen = proposal == null ? seen : Math.max(seen, proposal.seen());
        RecordKey key = keys.get(read);
        if (!(step.ended() instanceof Outcome.Read done) || key == null) {
            return new Step(step.sends(), new CallResult.Ended(new Outcome.Unknown(List.of())));
        }
        if (done.value() != null) {
            items.put(key.path(), Value.observation(key, done.value()));
        }
        return new Step(step.sends(), end());
    }

    private @Nullable CallResult end() {
        return isMerged && reading.isEmpty() ? new CallResult.Listed(List.copyOf(items.values()), after) : null;
    }

    @Override
    public long wakeAtNanos() {
        long wake = isMerged
                ? reading.values().stream()
                        .mapToLong(Proposal::wakeAtNanos)
                        .min()
                        .orElse(deadlineNanos)
                : wakeNanos;
        return Math.min(wake, deadlineNanos);
    }

    @Override
    public long untilNanos() {
        return reading.values().stream().mapToLong(Proposal::untilNanos).min().orElse(deadlineNanos);
    }

    @Override
    public long seen() {
        return seen;
    }
}
