package dev.mandate.peers.url;

import dev.mandate.peers.transport.GroupSecret;
import dev.mandate.peers.transport.LinkLimits;
import dev.mandate.peers.transport.LinkPace;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.transport.TransportSettings;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Id;
import dev.mandate.support.RotatingSecret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The settings in a group's URL; made by {@link GroupUrl}.
 *
 * @param scheme the order
 * @param members the voters in the order of the list, at least one, each once
 * @param self which of them this process is; empty for a guest
 * @param state the directory of this member; empty for a guest
 * @param bind where to listen instead of at the address of {@code self}
 * @param secret what all processes of the group share; empty only if all members are on this machine
 * @param maxLease the longest lease that the group grants, the same for all
 * @param preempt whether the highest member asks a lower leader to leave; only with {@link GroupScheme#BULLY}
 */
public record GroupSettings(
        GroupScheme scheme,
        List<PeerAddress> members,
        Optional<PeerAddress> self,
        Optional<Path> state,
        Optional<PeerAddress> bind,
        Optional<RotatingSecret<GroupSecret>> secret,
        Duration maxLease,
        boolean preempt) {
    /** Copies the list. */
    public GroupSettings {
        members = List.copyOf(members);
    }

    /** The list as compared and shown: in its order, separated by commas. */
    public String membersText() {
        return members.stream().map(PeerAddress::toString).collect(Collectors.joining(","));
    }

    /** How many voters are a majority. */
    public int majority() {
        return members.size() / 2 + 1;
    }

    /** Whether clients with both settings can be one member. Only the secret's text may differ: each login reads it. */
    public boolean sharesNodeWith(GroupSettings other) {
        return text().equals(other.text()) && secret.isPresent() == other.secret.isPresent();
    }

    /** All settings but the secret, for people: as a URL. */
    public String text() {
        StringBuilder text = new StringBuilder(scheme.word() + "://" + membersText());
        self.ifPresent(address -> text.append("?self=").append(address));
        state.ifPresent(path -> text.append("&state=").append(path));
        bind.ifPresent(address -> text.append("&bind=").append(address));
        return text.append(self.isPresent() ? "&" : "?")
                .append("maxLease=")
                .append(Durations.text(maxLease))
                .append(preempt ? "&preempt=true" : "")
                .toString();
    }

    /** What is allowed but hardly intended, one sentence each: one voter, two, or an even number. */
    public List<String> warnings() {
        int voters = members.size();
        if (voters == 1) {
            return List.of("the group has 1 voter, " + membersText()
                    + ": when it fails, nobody can lead; name 3 members or 5");
        }
        if (voters % 2 == 0) {
            int spare = voters - majority();
            String survives = spare == 0
                    ? "when either fails, nobody can lead"
                    : "it survives the failure of " + spare + ", as " + (voters - 1) + " voters would";
            return List.of("the group has " + voters + " voters, " + membersText() + ": " + survives
                    + "; name an odd number, such as " + (voters + 1));
        }
        return List.of();
    }

    /** The same group for a process that only looks: it neither votes nor listens, and stores nothing. */
    public GroupSettings asGuest() {
        return new GroupSettings(
                scheme, members, Optional.empty(), Optional.empty(), Optional.empty(), secret, maxLease, false);
    }

    /** What a transport between these members needs. */
    public TransportSettings transport(Id startId) {
        return new TransportSettings(
                members,
                self.orElse(null),
                bind.orElse(null),
                secret.orElse(null),
                startId,
                "maxLease=" + Durations.text(maxLease),
                LinkPace.of(maxLease),
                LinkLimits.defaults());
    }
}
