package dev.mandate.peers.store;

import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.peers.runtime.RunningNode;
import dev.mandate.peers.transport.LinkStatus;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes a group in sentences. Thread-safe. */
final class GroupDiagnosis {
    private static final String DISAGREES =
            "has stopped voting for now, because it met another list of members, another"
                    + " maxLease, or a second process with its self; its log shows both";

    private final GroupSettings settings;
    private final RunningNode node;
    private volatile Heard heard = new Heard(Map.of(), 0);

    /** The voters' own status reports, and when they came. */
    private record Heard(Map<Integer, Message.Status> voters, long atNanos) {}

    GroupDiagnosis(GroupSettings settings, RunningNode node) {
        this.settings = settings;
        this.node = node;
    }

    /** Voters reported their status: later sentences of {@link #why} use it. */
    void heard(Map<Integer, Message.Status> voters) {
        heard = new Heard(Map.copyOf(voters), System.nanoTime());
    }

    /** The longest lease that all voters grant, by the last reports; empty before the first. */
    Optional<Duration> longestLease() {
        return shortest(heard.voters);
    }

    /** Why a call got no majority; {@code silent} are the places of voters that did not answer. */
    String why(List<Integer> silent) {
        if (silent.isEmpty()) {
            return "no majority agreed in time";
        }
        String who = silent.stream().map(this::why).collect(Collectors.joining("; "));
        return "no answer of a majority, " + settings.majority() + " of "
                + settings.members().size() + " voters: " + who;
    }

    private String why(int place) {
        String name = name(place);
        if (settings.self().map(settings.members()::indexOf).orElse(-1) == place) {
            return name + " (this process) "
                    + node.voter()
                            .map(own -> phase(own.phase(), own.quarantineLeftNanos()))
                            .orElse("does not answer");
        }
        Optional<LinkStatus> link =
                node.links().stream().filter(each -> each.id().equals(name)).findFirst();
        return link.map(each -> name + " " + (each.isUp() ? silent(place) : down(each)))
                .orElse(name);
    }

    private String name(int place) {
        return settings.members().get(place).toString();
    }

    private String silent(int place) {
        Heard known = heard;
        Message.Status status = known.voters.get(place);
        if (status == null) {
            return "is connected and does not answer";
        }
        long left = status.quarantineLeftNanos() - (System.nanoTime() - known.atNanos);
        boolean isOver = status.phase() == VoterStatus.Phase.QUARANTINED && left <= 0;
        if (status.disagrees()) {
            return DISAGREES;
        }
        return status.phase() == VoterStatus.Phase.VOTING || isOver
                ? "is connected and does not answer in time"
                : phase(status.phase(), left);
    }

    private static String down(LinkStatus link) {
        return "has not been connected for " + seconds(link.since())
                + (link.trouble().isEmpty() ? "" : " (" + link.trouble() + ")");
    }

    private static String seconds(Duration since) {
        return since.toMillis() / 1000 + "." + since.toMillis() % 1000 / 100 + " s";
    }

    private static String phase(VoterStatus.Phase phase, long leftNanos) {
        return switch (phase) {
            case QUARANTINED ->
                "started recently and votes in " + seconds(Duration.ofNanos(Math.max(0, leftNanos)))
                        + ", when all leases that it may have granted before have expired";
            case CONFIRMING -> "asks the others whether its state is old, before it votes";
            case LEARNING ->
                "has no state, as at the first start of a group or after a loss, and votes when enough others have"
                        + " answered: all of them, if none has one";
            case VOTING -> "votes";
        };
    }

    // ---- for the doctor ----

    /** The findings for the doctor; {@code result} is null if nobody was asked. */
    List<Finding> findings(@Nullable CallResult result, Duration lease) {
        List<Finding> findings = new ArrayList<>();
        settings.warnings().forEach(warning -> findings.add(Finding.warning("members", warning)));
        Map<Integer, Message.Status> voters =
                new TreeMap<>(result instanceof CallResult.Asked asked ? asked.voters() : Map.of());
        long voting = voters.values().stream().filter(GroupDiagnosis::isVoting).count();
        boolean isLed = voting >= settings.majority();
        String share = voting + " of " + settings.members().size() + " members vote, " + settings.majority()
                + (settings.majority() == 1 ? " is" : " are") + " a majority: " + settings.membersText();
        findings.add(
                isLed
                        ? Finding.ok("members", share)
                        : Finding.error("members", share + "; nobody can lead until a majority votes"));
        for (int place = 0; place < settings.members().size(); place++) {
            findings.add(member(place, voters.get(place), isLed ? Severity.WARNING : Severity.ERROR));
        }
        if (voters.size() > 1) {
            findings.add(links(voters));
        }
        shortest(voters)
                .filter(shortest -> lease.compareTo(shortest) > 0)
                .ifPresent(shortest -> findings.add(Finding.error(
                        "lease",
                        "the lease is " + Durations.text(lease) + ", and the members grant at most "
                                + Durations.text(shortest)
                                + "; ask for that, or give all members maxLease="
                                + Durations.text(lease))));
        return findings;
    }

    private static boolean isVoting(Message.Status status) {
        return status.phase() == VoterStatus.Phase.VOTING && !status.disagrees();
    }

    private Finding member(int place, Message.@Nullable Status status, Severity ifAway) {
        if (status == null) {
            return new Finding(ifAway, "member", why(place));
        }
        if (status.disagrees()) {
            return Finding.error("member", name(place) + " " + DISAGREES);
        }
        String is = name(place) + " " + phase(status.phase(), status.quarantineLeftNanos()) + "; ceiling "
                + status.ceiling() + ", longest lease "
                + Durations.text(Duration.ofNanos(status.quarantineNanos())) + ", " + status.keys()
                + (status.keys() == 1 ? " key" : " keys");
        return isVoting(status) ? Finding.ok("member", is) : Finding.warning("member", is);
    }

    /** Missing links among the voters that answered; those that are away are named elsewhere. */
    private Finding links(Map<Integer, Message.Status> voters) {
        List<String> missing = new ArrayList<>();
        voters.forEach((place, status) -> voters.keySet().stream()
                .filter(other -> !other.equals(place) && !status.isLinkedTo(other))
                .forEach(other -> missing.add(name(place) + " to " + name(other))));
        String among = voters.size() == settings.members().size()
                ? "all members"
                : "the " + voters.size() + " members that answer";
        return missing.isEmpty()
                ? Finding.ok("links", among + " are connected to each other")
                : Finding.warning(
                        "links",
                        "no connection of " + String.join(", ", missing)
                                + "; check the network between them; their logs show the errors");
    }

    private static Optional<Duration> shortest(Map<Integer, Message.Status> voters) {
        return voters.values().stream()
                .map(status -> Duration.ofNanos(status.quarantineNanos()))
                .min(Duration::compareTo);
    }
}
