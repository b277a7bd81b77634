package dev.mandate.peers.url;

import dev.mandate.peers.transport.GroupSecret;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.transport.TransportSettings;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreAuthority.Host;
import dev.mandate.support.StoreSecret;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code bully://a:7401,b:7401,c:7401?self=b:7401&state=DIR&secretFile=FILE}, {@code ring:} and {@code peers:}. The
 * hosts are the voters, in an order that all processes share. Without {@code self} the process is a guest. Never puts a
 * secret into a message.
 */
public final class GroupUrl {
    private static final String SELF = "self";
    private static final String STATE = "state";
    private static final String BIND = "bind";
    private static final String MAX_LEASE = "maxLease";
    private static final String PREEMPT = "preempt";
    private static final String LEASE = "lease";

    /** If neither the client nor the URL gives the lease it will ask for. */
    private static final Duration LEASE_DEFAULT = Duration.ofSeconds(10);

    private static final Duration LEASE_MIN = Duration.ofMillis(1);
    private static final Duration LEASE_MAX = Duration.ofDays(1);

    /** The list is shown whole if it has to be compared, and cut if one of its names is wrong. */
    private static final int LIST_SHOWN = 1_000;

    private GroupUrl() {}

    /** The parameters, besides those common to all stores, each with a line for people. */
    public static Map<String, String> parameters() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(SELF, "which member this process is, as the list has it; a guest, which does not vote, without it");
        all.put(STATE, "this member's directory, on a local disk that survives restarts; used by nobody else");
        all.put("secretFile", "a file whose first line is the secret of the group, or the new one and the old one");
        all.put("secretEnv", "the environment variable that holds the secret of the group");
        all.put(BIND, "where to listen, if not at the address of self: 0.0.0.0:7401 for instance");
        all.put(MAX_LEASE, "the longest lease that the group grants, the same for all members; the lease unless given");
        all.put(
                PREEMPT,
                "whether a returning higher member asks a lower one to leave: false (default), or true (bully)");
        return all;
    }

    /**
     * Reads a URL. Blocks while the secret's file is read; resolves no names.
     *
     * @throws IllegalArgumentException if it is malformed; one sentence that names the part, its value, the bound and
     *     what to do
     * @throws dev.mandate.StoreSetupException if the secret can't be read, or is too short
     */
    public static GroupSettings settings(StoreUrl url) {
        GroupScheme scheme = GroupScheme.of(url.scheme())
                .orElseThrow(() -> new IllegalArgumentException(
                        "the scheme of the store URL is '" + url.scheme() + "'; write bully, ring or peers"));
        String form = form(scheme);
        StoreAuthority authority = StoreAuthority.parse(url.rest(), form);
        requireNoSecret(url, authority);
        if (!authority.path().isEmpty()) {
            throw new IllegalArgumentException("the store URL has the path '/" + shown(authority.path())
                    + "' after its members; leave it out, or write " + form);
        }
        List<PeerAddress> members = members(authority);
        Optional<PeerAddress> self = self(url, members);
        Optional<Path> state = state(url, self);
        Optional<PeerAddress> bind = bind(url, self);
        Optional<RotatingSecret<GroupSecret>> secret = StoreSecret.of(url, "secret", null, GroupSecret::parse);
        if (secret.isEmpty()) {
            requireLoopback(members, bind);
        }
        return new GroupSettings(scheme, members, self, state, bind, secret, maxLease(url), preempt(url, scheme));
    }

    private static String form(GroupScheme scheme) {
        return scheme.word() + "://a:7401,b:7401,c:7401?self=b:7401&state=DIR&secretFile=FILE";
    }

    private static void requireNoSecret(StoreUrl url, StoreAuthority authority) {
        boolean hasUser = !authority.user().isEmpty() || authority.password().isPresent();
        if (hasUser || url.parameter("secret").isPresent()) {
            // Neither quoted nor ever used: anyone who lists processes can read URLs.
            throw new IllegalArgumentException("the store URL has "
                    + (hasUser ? "something before an @" : "the parameter 'secret'")
                    + ", and a secret does not belong into it; write the secret into a file and give secretFile=FILE");
        }
    }

    // ---- who ----

    private static List<PeerAddress> members(StoreAuthority authority) {
        List<PeerAddress> members = new ArrayList<>();
        for (Host host : authority.hosts()) {
            if (host.port() == 0) {
                throw new IllegalArgumentException("the store URL names the member '" + host.name()
                        + "' without a port; write " + host.name() + ":7401, or the port it listens on");
            }
            PeerAddress member = PeerAddress.of(host);
            if (members.contains(member)) {
                throw new IllegalArgumentException(
                        "the store URL names the member '" + member + "' twice; name each one once");
            }
            members.add(member);
        }
        if (members.size() > TransportSettings.MEMBERS_MAX) {
            throw new IllegalArgumentException("the store URL names " + members.size() + " members; name at most "
                    + TransportSettings.MEMBERS_MAX + ", best 3 or 5, and let the others be guests, without self");
        }
        return members;
    }

    private static Optional<PeerAddress> self(StoreUrl url, List<PeerAddress> members) {
        Optional<PeerAddress> self = url.parameter(SELF).map(text -> address(SELF, text, 0, "b:7401"));
        self.filter(known -> !members.contains(known)).ifPresent(unlisted -> {
            throw new IllegalArgumentException("the parameter 'self' of the store URL is '" + unlisted
                    + "', which is not among its members " + shown(text(members))
                    + "; write self as the list has this member, or leave it out for a guest");
        });
        return self;
    }

    private static Optional<Path> state(StoreUrl url, Optional<PeerAddress> self) {
        Optional<String> text = url.parameter(STATE);
        if (self.isPresent() && text.isEmpty()) {
            throw new IllegalArgumentException("the store URL has self=" + self.get()
                    + " and no state; add state=DIR, a directory on a local disk that survives restarts and that only"
                    + " this member uses");
        }
        if (self.isEmpty() && text.isPresent()) {
            throw new IllegalArgumentException("the store URL has state=" + shown(text.get())
                    + " and no self, so this process is a guest and keeps nothing; add self=HOST:PORT, or leave out"
                    + " state");
        }
        try {
            return text.filter(path -> !path.isBlank())
                    .or(() -> text.map(GroupUrl::noDirectory))
                    .map(Path::of);
        } catch (InvalidPathException e) {
            throw refused(STATE, text.orElse(""), "the path of a directory");
        }
    }

    private static String noDirectory(String blank) {
        throw refused(STATE, blank, "the path of a directory");
    }

    private static Optional<PeerAddress> bind(StoreUrl url, Optional<PeerAddress> self) {
        Optional<String> text = url.parameter(BIND);
        if (self.isEmpty() && text.isPresent()) {
            throw new IllegalArgumentException("the store URL has bind=" + shown(text.get())
                    + " and no self, so this process is a guest and listens nowhere; add self=HOST:PORT, or leave out"
                    + " bind");
        }
        return text.map(given -> address(BIND, given, self.get().port(), "0.0.0.0:7401"));
    }

    private static void requireLoopback(List<PeerAddress> members, Optional<PeerAddress> bind) {
        for (PeerAddress member : members) {
            if (!member.isLoopback()) {
                throw new IllegalArgumentException("the store URL has no secret, and its member '" + member
                        + "' may be another machine; add secretFile=FILE with the same secret for all, or name every"
                        + " member 127.0.0.1, localhost or [::1]");
            }
        }
        bind.filter(address -> !address.isLoopback()).ifPresent(address -> {
            throw new IllegalArgumentException("the store URL has no secret, and with bind=" + address
                    + " other machines reach this one; add secretFile=FILE with the same secret for all, or leave out"
                    + " bind");
        });
    }

    /** A host and a port in a parameter. */
    private static PeerAddress address(String name, String text, int port, String example) {
        Host host;
        try {
            StoreAuthority authority = StoreAuthority.parse("//" + text, example);
            boolean isHost = authority.hosts().size() == 1
                    && !text.contains("@")
                    && authority.path().isEmpty()
                    && !text.endsWith("/");
            host = isHost ? authority.hosts().get(0).orPort(port) : new Host("", 0);
        } catch (IllegalArgumentException e) {
            host = new Host("", 0);
        }
        if (host.port() == 0) {
            throw refused(
                    name,
                    text,
                    "one host and a port from 1 to 65535, such as " + example + ", an IPv6 address in brackets");
        }
        return PeerAddress.of(host);
    }

    // ---- how ----

    private static Duration maxLease(StoreUrl url) {
        Optional<Duration> lease = url.lease()
                .or(() -> url.parameter(LEASE).map(any -> url.duration(LEASE, LEASE_DEFAULT, LEASE_MIN, LEASE_MAX)));
        Duration maxLease = url.duration(MAX_LEASE, lease.orElse(LEASE_DEFAULT), LEASE_MIN, LEASE_MAX);
        lease.filter(asked -> asked.compareTo(maxLease) > 0).ifPresent(asked -> {
            throw new IllegalArgumentException("the lease is " + Durations.text(asked)
                    + ", but the parameter 'maxLease' of the store URL is " + Durations.text(maxLease)
                    + ", the longest one that the group grants; ask for a shorter lease, or give all members"
                    + " maxLease=" + Durations.text(asked));
        });
        return maxLease;
    }

    private static boolean preempt(StoreUrl url, GroupScheme scheme) {
        boolean preempt = url.flag(PREEMPT, false);
        if (preempt && scheme != GroupScheme.BULLY) {
            throw new IllegalArgumentException(
                    "the parameter 'preempt' of the store URL is 'true', but only bully: knows"
                            + " a highest member; write bully: instead of " + scheme.word()
                            + ":, or leave out preempt");
        }
        return preempt;
    }

    private static String text(List<PeerAddress> members) {
        return String.join(",", members.stream().map(PeerAddress::toString).toList());
    }

    private static String shown(String text) {
        return Excerpt.line(text, LIST_SHOWN);
    }

    private static IllegalArgumentException refused(String name, String value, String expected) {
        return new IllegalArgumentException(
                "the parameter '" + name + "' of the store URL is '" + shown(value) + "'; write " + expected);
    }
}
