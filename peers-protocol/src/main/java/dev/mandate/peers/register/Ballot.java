package dev.mandate.peers.register;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The voters' answers in one epoch. Each counts once, however often it answers. */
final class Ballot {
    private final Group group;
    private final Message.@Nullable Promise[] promises;
    private int refused;
    private int accepted;

    Ballot(Group group) {
        this.group = group;
        this.promises = new Message.Promise[group.voters()];
    }

    /** For the explorer. */
    Ballot(Ballot other) {
        group = other.group;
        promises = other.promises.clone();
        refused = other.refused;
        accepted = other.accepted;
    }

    void promised(int voter, Message.Promise promise) {
        Message.Promise before = promises[voter];
        if (before == null || before.start().number() < promise.start().number()) {
            promises[voter] = promise;
        }
    }

    void accepted(int voter) {
        accepted |= 1 << voter;
    }

    void refused(int voter) {
        refused |= 1 << voter;
    }

    /** After the promises, voters that refused are asked to accept all the same. */
    void accepting() {
        refused = 0;
    }

    boolean isAccepted() {
        return Integer.bitCount(accepted) >= group.majority();
    }

    boolean isHopeless() {
        return group.voters() - Integer.bitCount(refused) < group.majority();
    }

    /**
     * The promises of a majority, or empty. A promise is void if another names a later start of its voter, which may
     * have forgotten it.
     */
    Optional<List<Message.Promise>> majority() {
        List<Message.Promise> valid = new ArrayList<>();
        for (int voter = 0; voter < promises.length; voter++) {
            Message.Promise promise = promises[voter];
            if (promise != null && !isVoid(voter, promise)) {
                valid.add(promise);
            }
        }
        return valid.size() >= group.majority() ? Optional.of(valid) : Optional.empty();
    }

    private boolean isVoid(int voter, Message.Promise promise) {
        for (int i = 0; i < promises.length; i++) {
            Message.Promise other = promises[i];
            if (i != voter
                    && other != null
                    && voter < other.known().size()
                    && promise.start().isVoidBeside(other.known().get(voter))) {
                return true;
            }
        }
        return false;
    }

    /** Voters that have not answered a PREPARE, or whose promise is void. */
    List<Integer> unpromised() {
        List<Integer> missing = new ArrayList<>();
        for (int voter = 0; voter < promises.length; voter++) {
            Message.Promise promise = promises[voter];
            if ((refused & 1 << voter) == 0 && (promise == null || isVoid(voter, promise))) {
                missing.add(voter);
            }
        }
        return missing;
    }

    /** Voters that have not answered an ACCEPT. */
    List<Integer> unaccepted() {
        List<Integer> missing = new ArrayList<>();
        for (int voter = 0; voter < promises.length; voter++) {
            if (((refused | accepted) & 1 << voter) == 0) {
                missing.add(voter);
            }
        }
        return missing;
    }

    /** The value to continue with: the one accepted in the highest epoch; null for none. */
    static @Nullable Vote highest(List<Message.Promise> majority) {
        Vote highest = null;
        for (Message.Promise promise : majority) {
            Vote vote = promise.vote();
            if (vote != null && (highest == null || vote.epoch().compareTo(highest.epoch()) > 0)) {
                highest = vote;
            }
        }
        return highest;
    }

    /** The ages of the value of {@code vote}, null for none, as reported by the voters that accepted it. */
    static LongStream ages(List<Message.Promise> majority, @Nullable Vote vote) {
        Epoch write = write(vote);
        return majority.stream()
                .filter(each -> write != null && write.equals(write(each.vote())))
                .mapToLong(Message.Promise::ageNanos);
    }

    private static @Nullable Epoch write(@Nullable Vote vote) {
        return vote == null ? null : vote.value().write();
    }

    /** Whether a majority accepted {@code vote}, null for none, by these promises. */
    static boolean isChosen(Group group, List<Message.Promise> majority, @Nullable Vote vote) {
        Epoch epoch = vote == null ? null : vote.epoch();
        return majority.stream()
                        .filter(each -> Objects.equals(
                                each.vote() == null ? null : each.vote().epoch(), epoch))
                        .count()
                >= group.majority();
    }

    /** For the explorer. */
    void digest(int voter, boolean withStarts, LongConsumer digest) {
        digest.accept((refused >> voter & 1) + 2 * (accepted >> voter & 1));
        Message.Promise each = promises[voter];
        digest.accept(each == null ? -2 : 0);
        if (each != null) {
            if (withStarts) {
                each.start().digest(digest);
                each.known().forEach(start -> start.digest(digest));
            }
            Vote.digest(each.vote(), digest);
        }
    }
}
