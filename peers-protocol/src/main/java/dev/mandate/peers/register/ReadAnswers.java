package dev.mandate.peers.register;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** What the voters showed at one look. */
final class ReadAnswers {
    private final Group group;
    private final Message.@Nullable Shown[] shown;

    ReadAnswers(Group group) {
        this.group = group;
        this.shown = new Message.Shown[group.voters()];
    }

    /** For the explorer. */
    ReadAnswers(ReadAnswers other) {
        group = other.group;
        shown = other.shown.clone();
    }

    void shown(int voter, Message.Shown answer) {
        shown[voter] = answer;
    }

    /** Whether a majority answered. */
    boolean isMajority() {
        return group.voters() - silent().size() >= group.majority();
    }

    List<Integer> silent() {
        List<Integer> silent = new ArrayList<>();
        for (int voter = 0; voter < shown.length; voter++) {
            if (shown[voter] == null) {
                silent.add(voter);
            }
        }
        return silent;
    }

    /** The vote in the highest epoch; null for none. */
    @Nullable
    Vote highest() {
        Vote highest = null;
        for (Message.Shown each : shown) {
            Vote vote = each == null ? null : each.vote();
            if (vote != null && (highest == null || vote.epoch().compareTo(highest.epoch()) > 0)) {
                highest = vote;
            }
        }
        return highest;
    }

    /** Whether a majority accepted exactly {@link #highest()}. */
    boolean isChosen() {
        Vote highest = highest();
        int same = 0;
        for (Message.Shown each : shown) {
            if (each != null) {
                Vote vote = each.vote();
                same += highest == null || vote != null && vote.epoch().equals(highest.epoch()) ? 1 : 0;
            }
        }
        return same >= group.majority();
    }

    /** For the explorer. */
    void digest(int voter, LongConsumer digest) {
        Message.Shown each = shown[voter];
        digest.accept(each == null ? -1 : each.promised());
        Vote.digest(each == null ? null : each.vote(), digest);
    }
}
