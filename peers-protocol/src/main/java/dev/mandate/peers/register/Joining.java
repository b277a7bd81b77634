package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the others told a start of a voter, and whether that is enough to vote. */
final class Joining {
    private final VoterSettings settings;
    private Start start;

    /** The start that a peer remembers and the file does not include; null for none. */
    private @Nullable Start contradiction;

    private final @Nullable Message.Welcome[] welcomes;

    /** When each of them arrived. */
    private final long[] cameNanos;

    Joining(VoterSettings settings, Start start) {
        this.settings = settings;
        this.start = start;
        this.welcomes = new Message.Welcome[settings.group().voters()];
        this.cameNanos = new long[welcomes.length];
    }

    /** For the explorer. */
    Joining(Joining other) {
        settings = other.settings;
        start = other.start;
        contradiction = other.contradiction;
        welcomes = other.welcomes.clone();
        cameNanos = other.cameNanos.clone();
    }

    Start start() {
        return start;
    }

    /** Another voter restarted: it may have forgotten this start, so it is told again. */
    void startedAgain(int voter) {
        welcomes[voter] = null;
    }

    /** Asks everybody again. */
    void restart() {
        Arrays.fill(welcomes, null);
    }

    /**
     * Asks voters again that said, half a quarantine ago, that they had no ceiling. A voter without one must not found
     * the group on answers from different times: each may have lost its file, and learnt from the rest since.
     */
    void forgetWithout(long nowNanos) {
        for (int voter = 0; voter < welcomes.length; voter++) {
            Message.Welcome welcome = welcomes[voter];
            if (welcome != null
                    && welcome.ceiling() == Message.Ceiling.NONE
                    && nowNanos - cameNanos[voter] >= settings.quarantineNanos() / 2) {
                welcomes[voter] = null;
            }
        }
    }

    /** Continues under a number above all known ones, so that every earlier start counts as earlier. */
    void restartAbove(Start later) {
        Start last = new Start(Math.max(start.number(), later.number()), later.id());
        contradiction = last;
        start = new Start(last.number() + 1, start.id());
        restart();
    }

    /** What must be on the disk before this start is announced. */
    DurableState started(DurableState durable, long longestNanos) {
        return contradiction == null
                ? durable.withAttempt(start.id(), longestNanos)
                : durable.contradicted(contradiction, start.id());
    }

    /** Whether that is in {@code durable}. */
    boolean isIn(DurableState durable) {
        return durable.covers().equals(start)
                || durable.covers().number() + 1 == start.number()
                        && durable.attempts().contains(start.id());
    }

    /** Takes an answer. If it shows that the file is old, returns the start that the file does not include. */
    Optional<Start> welcomed(Message.Welcome welcome, long nowNanos) {
        int voter = welcome.voter();
        if (!settings.group().has(voter)
                || voter == settings.self()
                || !welcome.start().equals(start)) {
            return Optional.empty();
        }
        if (!welcome.known().equals(start)) {
            return Optional.of(welcome.known());
        }
        Message.Welcome before = welcomes[voter];
        if (before == null || before.ceiling().compareTo(welcome.ceiling()) <= 0) {
            welcomes[voter] = welcome;
            cameNanos[voter] = nowNanos;
        }
        return Optional.empty();
    }

    /** The places of voters to ask, or to ask again because their answer is of no use yet. */
    List<Integer> silent(boolean complete, boolean voting) {
        List<Integer> silent = new ArrayList<>();
        for (int voter = 0; voter < welcomes.length; voter++) {
            if (isSilent(voter, complete, voting)) {
                silent.add(voter);
            }
        }
        return silent;
    }

    /** Whether there are any such voters. */
    boolean isAnySilent(boolean complete, boolean voting) {
        for (int voter = 0; voter < welcomes.length; voter++) {
            if (isSilent(voter, complete, voting)) {
                return true;
            }
        }
        return false;
    }

    private boolean isSilent(int voter, boolean complete, boolean voting) {
        Message.Welcome welcome = welcomes[voter];
        boolean isUseful = welcome != null
                && (voting
                        || welcome.ceiling() == Message.Ceiling.CONFIRMED
                        || complete && welcome.ceiling() != Message.Ceiling.NONE);
        return voter != settings.self() && !isUseful;
    }

    /** What to write before the first vote, if enough of the others answered. */
    Optional<DurableState> entry(DurableState durable) {
        Group group = settings.group();
        if (durable.complete()) {
            long without = answers()
                    .filter(each -> each.ceiling() == Message.Ceiling.NONE)
                    .count();
            long with = answers().count() - without;
            // If as many others lost their file as may, this file is not old, too. Matters only in even groups.
            boolean isRest = with + without == group.voters() - 1 && without == group.majority() - 1;
            return with >= group.majority() - 1 || isRest
                    ? Optional.of(entered(durable, durable.ceiling(), durable.founders()))
                    : Optional.empty();
        }
        List<Message.Welcome> confirmed = answers()
                .filter(each -> each.ceiling() == Message.Ceiling.CONFIRMED)
                .toList();
        if (confirmed.size() >= group.witnesses()) {
            return Optional.of(entered(durable, highest(durable), durable.founders()));
        }
        // The group's first start: nobody has a ceiling. A voter that finds this reports it to those it found without.
        Optional<Message.Welcome> voting =
                confirmed.stream().filter(each -> foundedWith(durable, each)).findFirst();
        if (voting.isPresent()) {
            return Optional.of(entered(durable, highest(durable), voting.get().founders()));
        }
        // The voter that found this may have restarted since, and waits for this voter to have a ceiling, too.
        boolean isFirst = answers()
                        .filter(each -> each.ceiling() == Message.Ceiling.NONE || foundedWith(durable, each))
                        .count()
                == group.voters() - 1;
        if (!isFirst) {
            return Optional.empty();
        }
        Optional<Message.Welcome> founder =
                answers().filter(each -> foundedWith(durable, each)).findFirst();
        List<Id> founders =
                new ArrayList<>(answers().map(each -> each.own().id()).toList());
        founders.add(start.id());
        return Optional.of(entered(
                durable,
                highest(durable),
                founder.map(Message.Welcome::founders).orElse(founders)));
    }

    /** Whether the answering voter found that nobody had a ceiling, including this voter, which has not voted since. */
    private static boolean foundedWith(DurableState durable, Message.Welcome welcome) {
        return welcome.founders().stream().anyMatch(id -> durable.attempts().contains(id));
    }

    private Stream<Message.Welcome> answers() {
        return Arrays.stream(welcomes).filter(Objects::nonNull);
    }

    private long highest(DurableState durable) {
        return Math.max(
                durable.ceiling(),
                answers().mapToLong(Message.Welcome::height).max().orElse(0));
    }

    private DurableState entered(DurableState durable, long ceiling, List<Id> founders) {
        List<Start> known = new ArrayList<>(durable.known());
        // A lost file takes along what it remembered of others. An intact one heard that from themselves: better.
        (durable.complete() ? Stream.<Message.Welcome>empty() : answers()).forEach(each -> {
            for (int voter = 0; voter < Math.min(known.size(), each.starts().size()); voter++) {
                later(known, voter, each.starts().get(voter));
            }
            // A voting voter knows its own start best, even if another start has the same number.
            if (each.ceiling() == Message.Ceiling.CONFIRMED
                    && each.own().number() >= known.get(each.voter()).number()) {
                known.set(each.voter(), each.own());
            }
        });
        known.set(settings.self(), start);
        // Peers may remember a start that never voted, under this start's number, and not know this one yet.
        List<Id> former =
                durable.attempts().stream().filter(id -> !id.equals(start.id())).toList();
        return new DurableState(settings.quarantineNanos(), ceiling, true, start, former, founders, known);
    }

    private static void later(List<Start> known, int voter, Start start) {
        if (start.number() > known.get(voter).number()) {
            known.set(voter, start);
        }
    }

    /** For the explorer. */
    void digest(LongConsumer digest) {
        start.digest(digest);
        digest.accept(contradiction == null ? -1 : contradiction.number());
        for (Message.Welcome welcome : welcomes) {
            digest.accept(
                    welcome == null
                            ? -1
                            : welcome.height() * 4 + welcome.ceiling().ordinal());
            digest.accept(welcome == null ? -1 : welcome.founders().size());
        }
    }
}
