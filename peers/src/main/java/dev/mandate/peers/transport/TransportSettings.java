package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import dev.mandate.support.RotatingSecret;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a transport.
 *
 * @param members all members, in the order of the list, which all processes of the group share; at least one
 * @param self which of them this process is; null for a guest, which does not listen
 * @param bind where to listen, if not at the address of {@code self}; otherwise, and for a guest, null
 * @param secret what all processes of the group share; null for none, then everything stays on this machine
 * @param startId drawn anew at each start of the process
 * @param terms what else members must agree on, such as {@code maxLease=10s}: printable ASCII, at most 256 characters.
 *     Guests need not agree
 * @param pace how fast links are made and lost ones noticed
 * @param limits what is held at most
 */
public record TransportSettings(
        List<PeerAddress> members,
        @Nullable PeerAddress self,
        @Nullable PeerAddress bind,
        @Nullable RotatingSecret<GroupSecret> secret,
        Id startId,
        String terms,
        LinkPace pace,
        LinkLimits limits) {
    /** The most members of a group. */
    public static final int MEMBERS_MAX = 32;

    /**
     * Checks that the values fit together.
     *
     * @throws IllegalArgumentException if members are missing, too many or duplicated, or {@code self} is not among
     *     them; names the value
     */
    public TransportSettings {
        members = List.copyOf(members);
        if (members.isEmpty() || members.size() > MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    "the group has " + members.size() + " members; it must have 1 to " + MEMBERS_MAX);
        }
        if (new HashSet<>(members).size() < members.size()) {
            throw new IllegalArgumentException("the group " + members + " has a member twice; name each once");
        }
        if (text(members).length() > Introduction.MEMBERS_MAX) {
            throw new IllegalArgumentException("the list of members has "
                    + text(members).length() + " characters; it must have at most " + Introduction.MEMBERS_MAX);
        }
        if (self != null && !members.contains(self)) {
            throw new IllegalArgumentException(
                    "self is " + self + ", which is not among the members " + text(members) + "; name one of them");
        }
        if (self == null && bind != null) {
            throw new IllegalArgumentException("bind is " + bind + ", but a guest listens nowhere; leave it out");
        }
        if (!terms.matches("[ -~]{0," + Introduction.TERMS_MAX + "}")) {
            throw new IllegalArgumentException("the terms are not printable ASCII of at most " + Introduction.TERMS_MAX
                    + " characters: '" + terms + "'");
        }
    }

    private static String text(List<PeerAddress> members) {
        return members.stream().map(PeerAddress::toString).collect(Collectors.joining(","));
    }

    /** The list of members as compared: in its order, separated by commas. */
    public String membersText() {
        return text(members);
    }

    /** What this process says about itself to the member {@code to}. */
    Introduction introduction(String to) {
        return new Introduction(membersText(), terms, self == null ? "" : self.toString(), startId, to);
    }
}
