package dev.mandate.peers.store;

import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.peers.runtime.RunningNode;
import dev.mandate.peers.transport.LinkStatus;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a group is, in sentences. */
final class GroupDiagnosis {
    private final GroupSettings settings;
    private final RunningNode node;

    GroupDiagnosis(GroupSettings settings, RunningNode node) {
        this.settings = settings;
        this.node = node;
    }

    /** Why a call got no majority; {@code silent} are the places of voters that did not answer. */
    String why(List<Integer> silent) {
        int voters = settings.members().size();
        if (silent.isEmpty()) {
            return "no majority agreed in time";
        }
        String who = silent.stream().map(this::why).collect(Collectors.joining("; "));
        return "no answer of a majority, " + settings.majority() + " of " + voters + " voters: " + who;
    }

    private String why(int place) {
        String name = settings.members().get(place).toString();
        if (settings.self().map(settings.members()::indexOf).orElse(-1) == place) {
            return name + " (this process) "
                    + node.voter().map(GroupDiagnosis::phase).orElse("does not answer");
        }
        return node.links().stream()
                .filter(link -> link.id().equals(name))
                .findFirst()
                .map(link -> name + " " + link(link))
                .orElse(name);
    }

    private static String link(LinkStatus link) {
        if (link.isUp()) {
            return "is connected and does not answer";
        }
        return "has not been connected for " + seconds(link.since())
                + (link.trouble().isEmpty() ? "" : " (" + link.trouble() + ")");
    }

    private static String seconds(Duration since) {
        return since.toMillis() / 1000 + "." + since.toMillis() % 1000 / 100 + " s";
    }

    private static String phase(VoterStatus status) {
        return phase(status.phase(), status.quarantineLeftNanos());
    }

    private static String phase(VoterStatus.Phase phase, long leftNanos) {
        return switch (phase) {
            case QUARANTINED ->
                "does not vote for another " + seconds(Duration.ofNanos(leftNanos))
                        + ", until every lease that its last start granted is over";
            case CONFIRMING -> "asks the others whether its state is old, before it votes";
            case LEARNING -> "has lost its state, and asks the others for their ceilings before it votes";
            case VOTING -> "votes";
            case DISAGREEING -> "does not vote: it sees a member with another list or maxLease";
        };
    }

    /** What doctors want to know; {@code result} null where nobody was asked. */
    List<Finding> findings(@Nullable CallResult result, Duration lease) {
        List<Finding> findings = new ArrayList<>();
        settings.warnings().forEach(warning -> findings.add(Finding.warning("members", warning)));
        Map<Integer, Message.Status> voters = result instanceof CallResult.Asked asked ? asked.voters() : Map.of();
        long voting = voters.values().stream()
                .filter(each -> each.phase() == VoterStatus.Phase.VOTING)
                .count();
        String share = voting + " of " + settings.members().size() + " members vote, " + settings.majority()
                + " are a majority: " + settings.membersText();
        findings.add(
                voting >= settings.majority()
                        ? Finding.ok("members", share)
                        : Finding.error("members", share + "; nobody can lead until a majority votes"));
        for (int place = 0; place < settings.members().size(); place++) {
            findings.add(member(place, voters.get(place)));
        }
        if (lease.compareTo(settings.maxLease()) > 0) {
            findings.add(Finding.error(
                    "lease",
                    "the lease is " + Durations.text(lease) + ", and the group grants "
                            + Durations.text(settings.maxLease()) + " at the most"));
        }
        return findings;
    }

    private Finding member(int place, Message.@Nullable Status status) {
        String name = settings.members().get(place).toString();
        if (status == null) {
            return Finding.error("member", why(place));
        }
        String is = name + " " + phase(status.phase(), status.quarantineLeftNanos()) + "; ceiling " + status.ceiling()
                + ", longest lease " + Durations.text(Duration.ofNanos(status.quarantineNanos())) + ", "
                + status.keys() + (status.keys() == 1 ? " key" : " keys");
        return status.phase() == VoterStatus.Phase.VOTING ? Finding.ok("member", is) : Finding.warning("member", is);
    }
}
