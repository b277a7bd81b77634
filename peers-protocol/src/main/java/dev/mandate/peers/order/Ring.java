package dev.mandate.peers.order;

import dev.mandate.engine.Entropy;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ring: a member that notices a vacancy sends a token round, which collects those that campaign. Back at its starter,
 * it goes round once more and announces them: they try in turn, from the last named to the first.
 *
 * <table>
 * <caption>Rules</caption>
 * <tr><th>what happens</th><th>what is done</th></tr>
 * <tr><td>seeks a place, and no token has passed</td><td>starts a token with itself in it</td></tr>
 * <tr><td>a token of a member named before it, while its own is under way</td><td>swallowed</td></tr>
 * <tr><td>any other token</td><td>adds itself if it campaigns, sends it on</td></tr>
 * <tr><td>its own token, or one that would next pass its starter, which is dead</td><td>the second lap</td></tr>
 * <tr><td>an announcement</td><td>its place is the number of those named later in it; sends it on, up to its
 * starter</td></tr>
 * <tr><td>a successor is down, or does not confirm within {@code hop}</td><td>skipped, for this vacancy</td></tr>
 * <tr><td>no announcement within {@code lap}</td><td>starts a token again</td></tr>
 * </table>
 *
 * <p>No token passes its starter, and none is sent on twice, so none circulates forever: each lap is one round trip, or
 * ends early.
 *
 * <p>After the token ring of Silberschatz, Galvin and Gagne, "Operating System Concepts", with an active list; tokens
 * swallow each other as in E. Chang and R. Roberts, "An improved algorithm for decentralized extrema-finding",
 * Communications of the ACM 22(5), 1979. A member that has not started a token swallows none, so a single starter needs
 * two laps, wherever it is.
 */
public final class Ring extends DecidingOrder<Ring.Lap> {
    private final int[] ring;
    private final int[] positions;

    /** A token on its way to the next member, kept until that member confirms it. */
    private record Hop(OrderMessage.Token token, int to, long untilNanos) {}

    /** One election: the tokens that passed. */
    static final class Lap extends Decision {
        /** The newest round of each member's tokens that passed: first those that collect, then those that announce. */
        private final long[] rounds;
        /** Whose tokens {@link #rounds} has, for each of the two laps. */
        private final long[] passed = new long[2];

        /** At most one for each member and lap. */
        private final List<Hop> hops = new ArrayList<>(2);
        /** Peers that did not confirm a token. */
        private long suspects;

        private int starts;
        /** Whether its own token is under way: {@link #starts} rounds, from {@link #firstRound} on, were started. */
        private boolean started;

        private long firstRound;
        /** When its own token, or the first that passed, counts as lost; only while this member seeks a place. */
        private long lapUntilNanos = Long.MAX_VALUE;
        /** Members that campaign, by the last announcement; 0 if there was none. */
        private long announced;
        /** Whether a token has passed to which this member was added. */
        private boolean collected;

        private Lap(RecordKey key, int members) {
            super(key);
            this.rounds = new long[2 * members];
        }

        /** {@code to} must confirm {@code token} by then, or earlier if it still owes a confirmation from before. */
        private void expect(OrderMessage.Token token, int to, long untilNanos) {
            long until = untilNanos;
            for (Hop hop : hops) {
                until = hop.to == to ? Math.min(until, hop.untilNanos) : until;
            }
            hops.removeIf(
                    hop -> hop.token.starter() == token.starter() && hop.token.announcing() == token.announcing());
            hops.add(new Hop(token, to, until));
        }

        @Override
        long waitsUntilNanos() {
            long until = lapUntilNanos;
            for (Hop hop : hops) {
                until = Math.min(until, hop.untilNanos());
            }
            return until;
        }
    }

    /**
     * The order of one member; the ring goes through the members as the list names them.
     *
     * @param self this member's number, from 0
     * @param members how many the group has, up to {@value Order#MEMBERS_MAX}
     * @param entropy draws the numbers of tokens
     */
    public Ring(int self, int members, OrderTiming timing, Entropy entropy) {
        this(self, IntStream.range(0, members).toArray(), timing, entropy);
    }

    /** With the members in any order along the ring. */
    Ring(int self, int[] ring, OrderTiming timing, Entropy entropy) {
        super(self, ring.length, timing, entropy);
        this.ring = ring.clone();
        this.positions = new int[ring.length];
        for (int i = 0; i < ring.length; i++) {
            positions[ring[i]] = i;
        }
    }

    @Override
    Lap decision(RecordKey key) {
        return new Lap(key, members);
    }

    @Override
    boolean isRelay() {
        return true;
    }

    // ---- what this member begins ----

    @Override
    void seek(Lap lap) {
        if (isAnnounced(lap)) {
            return;
        }
        if (lap.collected) {
            lap.lapUntilNanos = nowNanos + timing.lapNanos();
        } else {
            start(lap);
        }
    }

    private boolean isAnnounced(Lap lap) {
        return (lap.announced & 1L << self) != 0;
    }

    private void start(Lap lap) {
        lap.firstRound = lap.starts == 0 ? entropy.nextLong() : lap.firstRound;
        long round = lap.firstRound + lap.starts;
        lap.starts++;
        lap.started = true;
        lap.lapUntilNanos = nowNanos + timing.lapNanos();
        sendOn(lap, new OrderMessage.Token(lap.key, round, self, false, 1L << self));
    }

    @Override
    void rest(Lap lap) {
        lap.started = false;
        lap.lapUntilNanos = Long.MAX_VALUE;
    }

    @Override
    void proceed(Lap lap) {
        for (Hop hop : List.copyOf(lap.hops)) {
            if (nowNanos >= hop.untilNanos() && lap.hops.remove(hop)) {
                lap.suspects |= 1L << hop.to();
                sendOn(lap, hop.token());
            }
        }
        if (nowNanos >= lap.lapUntilNanos) {
            start(lap);
        }
    }

    // ---- along the ring ----

    /** Sends {@code token} to the next member that seems alive; if there is none up to its starter, the lap ends. */
    private void sendOn(Lap lap, OrderMessage.Token token) {
        for (int next = successor(self); next != self; next = successor(next)) {
            if (!isDown(next) && (lap.suspects & 1L << next) == 0) {
                lap.expect(token, next, nowNanos + timing.hopNanos());
                send(next, token);
                return;
            }
            if (next == token.starter()) {
                break;
            }
        }
        if (!token.announcing()) {
            announce(lap, token.campaigning());
        }
    }

    private int successor(int member) {
        return ring[(positions[member] + 1) % members];
    }

    /** The first lap is complete. */
    private void announce(Lap lap, long collected) {
        learn(lap, collected);
        sendOn(lap, new OrderMessage.Token(lap.key, entropy.nextLong(), self, true, collected));
    }

    private void learn(Lap lap, long campaigning) {
        lap.announced = campaigning;
        lap.started = false;
        lap.lapUntilNanos = Long.MAX_VALUE;
        // A member that is not in it comes after those that are.
        long before = isAnnounced(lap) ? campaigning & -(2L << self) : campaigning;
        place(lap, Long.bitCount(before));
    }

    @Override
    void peerDown(Lap lap, int peer) {
        for (Hop hop : List.copyOf(lap.hops)) {
            if (hop.to() == peer && lap.hops.remove(hop)) {
                sendOn(lap, hop.token());
            }
        }
    }

    @Override
    void peerUp(int peer) {}

    @Override
    void votes(boolean votes) {}

    @Override
    void stanceChanged(RecordKey key, OwnCampaign campaign) {}

    // ---- messages ----

    @Override
    void received(int from, OrderMessage message) {
        if (message instanceof OrderMessage.TokenArrived e) {
            Lap lap = known(e.key());
            if (lap != null) {
                lap.hops.removeIf(hop -> hop.to() == from && isSame(hop.token(), e));
                changed(lap);
            }
        } else if (message instanceof OrderMessage.Token token && isSensible(token)) {
            Lap known = known(token.key());
            Lap lap = known == null ? openForOthers(token.key()) : known;
            if (lap != null) {
                send(
                        from,
                        new OrderMessage.TokenArrived(token.key(), token.round(), token.starter(), token.announcing()));
                passes(lap, token);
                changed(lap);
            }
        }
    }

    /** Whether it names only members, among them the one that started collecting. */
    private boolean isSensible(OrderMessage.Token token) {
        long strangers = members == MEMBERS_MAX ? 0 : -1L << members;
        if (token.starter() < 0 || token.starter() >= members || (token.campaigning() & strangers) != 0) {
            return false;
        }
        return token.announcing() ? token.campaigning() != 0 : (token.campaigning() & 1L << token.starter()) != 0;
    }

    private static boolean isSame(OrderMessage.Token token, OrderMessage.TokenArrived e) {
        return token.round() == e.round() && token.starter() == e.starter() && token.announcing() == e.announcing();
    }

    private void passes(Lap lap, OrderMessage.Token token) {
        if (!isNew(lap, token)) {
            return;
        }
        keep(lap);
        if (token.announcing()) {
            if (token.starter() != self) {
                learn(lap, token.campaigning());
                sendOn(lap, token);
            }
        } else if (token.starter() == self) {
            // A slow token is as good as the one sent to replace it.
            long which = token.round() - lap.firstRound;
            if (lap.started && which >= 0 && which < lap.starts) {
                announce(lap, token.campaigning());
            }
        } else if (!lap.started || token.starter() > self) {
            boolean isCampaigning = campaign(lap.key) != null;
            lap.collected |= isCampaigning;
            sendOn(lap, isCampaigning ? token.with(1L << self) : token);
        }
    }

    /** Whether it has not passed yet: repeated tokens go no further. */
    private boolean isNew(Lap lap, OrderMessage.Token token) {
        int which = token.announcing() ? 1 : 0;
        int slot = which * members + token.starter();
        long bit = 1L << token.starter();
        if ((lap.passed[which] & bit) != 0 && lap.rounds[slot] == token.round()) {
            return false;
        }
        lap.passed[which] |= bit;
        lap.rounds[slot] = token.round();
        return true;
    }
}
