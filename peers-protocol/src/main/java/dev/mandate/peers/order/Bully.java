package dev.mandate.peers.order;

import dev.mandate.engine.Entropy;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;

/**
 * Bully: a member that notices a vacancy asks those named later whether they campaign. If none does, it announces
 * itself to those named before it; otherwise its place is the number of those that do.
 *
 * <table>
 * <caption>Rules</caption>
 * <tr><th>what happens</th><th>what is done</th></tr>
 * <tr><td>seeks a place; or ELECTION comes, it campaigns, and no round is under way</td><td>a round: ELECTION to all
 * named later</td></tr>
 * <tr><td>ELECTION</td><td>ALIVE if it campaigns, else PASS; also COORDINATOR if it has announced itself or
 * leads</td></tr>
 * <tr><td>all named later answered or are down, or {@code answer} is over, and none campaigns</td><td>COORDINATOR to
 * all named before; place 0</td></tr>
 * <tr><td>the same, and some campaign</td><td>their number is the place; waits for COORDINATOR</td></tr>
 * <tr><td>COORDINATOR from a member named later</td><td>that member campaigns; waits no more</td></tr>
 * <tr><td>{@code coordinator} is over, and it seeks a place</td><td>another round</td></tr>
 * <tr><td>the link to a member that campaigns goes down</td><td>that member no longer counts</td></tr>
 * <tr><td>{@code preempt}: another member's term is seen, a link comes up, or this member begins to vote</td>
 * <td>PREEMPT to those named before, if it votes</td></tr>
 * <tr><td>PREEMPT</td><td>reported once it leads that term, once a term; kept until then</td></tr>
 * </table>
 *
 * <p>After H. Garcia-Molina, "Elections in a Distributed Computing System", IEEE Transactions on Computers C-31(1),
 * 1982, with two additions: PASS, because a live member may not campaign; and members whose links are known to be down
 * are neither asked nor awaited.
 */
public final class Bully extends DecidingOrder<Bully.Ballot> {
    private final boolean preempt;
    private boolean votes;

    /** One election: which members were asked, and which campaign. */
    static final class Ballot extends Decision {
        /** Whether a round was begun; {@link #round}: the number of the newest. */
        private boolean asked;

        private long round;
        /** Members asked that have not answered. */
        private long awaited;
        /** Members named later that campaign. */
        private long alive;
        /** Whether {@link #alive} is final. */
        private boolean complete;
        /** Whether this member, or one named later, has announced itself. */
        private boolean announced;
        /** Whether it waits for nothing any more. */
        private boolean resting;

        private long answersUntilNanos;
        private long coordinatorUntilNanos;

        private Ballot(RecordKey key) {
            super(key);
        }

        private boolean isCoordinator() {
            return complete && alive == 0 && !over;
        }

        @Override
        long waitsUntilNanos() {
            if (resting || complete && announced) {
                return Long.MAX_VALUE;
            }
            return complete ? coordinatorUntilNanos : answersUntilNanos;
        }
    }

    /**
     * The order of one member.
     *
     * @param self this member's number, from 0; the last named is the highest
     * @param members how many the group has, up to {@value Order#MEMBERS_MAX}
     * @param entropy draws the numbers of rounds
     * @param preempt whether this member asks leaders named before it to leave
     */
    public Bully(int self, int members, OrderTiming timing, Entropy entropy, boolean preempt) {
        super(self, members, timing, entropy);
        this.preempt = preempt;
    }

    @Override
    Ballot decision(RecordKey key) {
        return new Ballot(key);
    }

    @Override
    boolean isRelay() {
        return false;
    }

    // ---- rounds ----

    @Override
    void seek(Ballot ballot) {
        if (!ballot.asked) {
            ask(ballot);
        }
    }

    private void ask(Ballot ballot) {
        ballot.asked = true;
        ballot.round = entropy.nextLong();
        ballot.alive = 0;
        ballot.awaited = 0;
        ballot.complete = false;
        ballot.announced = false;
        ballot.resting = false;
        ballot.answersUntilNanos = nowNanos + timing.requestTimeoutNanos();
        ballot.coordinatorUntilNanos = nowNanos + timing.coordinatorNanos();
        for (int peer = self + 1; peer < members; peer++) {
            if (!isDown(peer)) {
                ballot.awaited |= 1L << peer;
                send(peer, new OrderMessage.Election(ballot.key, ballot.round));
            }
        }
        concludeIfAnswered(ballot);
    }

    private void concludeIfAnswered(Ballot ballot) {
        if (ballot.complete) {
            conclude(ballot);
        } else if (ballot.awaited == 0) {
            ballot.complete = true;
            conclude(ballot);
        }
    }

    /** Nothing more can be learnt: sets the place and, if it is the first, announces it. */
    private void conclude(Ballot ballot) {
        if (ballot.isCoordinator()) {
            boolean isNews = !ballot.announced || ballot.place != 0;
            ballot.announced = true;
            for (int peer = 0; isNews && peer < self; peer++) {
                send(peer, new OrderMessage.Coordinator(ballot.key));
            }
        }
        place(ballot, Long.bitCount(ballot.alive));
    }

    @Override
    void proceed(Ballot ballot) {
        if (!ballot.complete) {
            ballot.awaited = 0;
            concludeIfAnswered(ballot);
        } else if (isSeeking(ballot)) {
            ask(ballot);
        } else {
            rest(ballot);
        }
    }

    @Override
    void rest(Ballot ballot) {
        ballot.resting = true;
    }

    @Override
    void peerDown(Ballot ballot, int peer) {
        long bit = 1L << peer;
        if (((ballot.awaited | ballot.alive) & bit) != 0) {
            ballot.awaited &= ~bit;
            ballot.alive &= ~bit;
            concludeIfAnswered(ballot);
        }
    }

    // ---- messages ----

    @Override
    void received(int from, OrderMessage message) {
        if (message instanceof OrderMessage.Election e && from < self) {
            asked(from, e);
        } else if (message instanceof OrderMessage.Preempt e && from > self) {
            askedToLeave(e);
        } else if (from > self) {
            Ballot ballot = known(message.key());
            if (ballot != null) {
                answered(ballot, from, message);
                changed(ballot);
            }
        }
    }

    private void asked(int from, OrderMessage.Election e) {
        OwnCampaign campaign = campaign(e.key());
        if (campaign == null) {
            send(from, new OrderMessage.Pass(e.key(), e.round()));
            return;
        }
        send(from, new OrderMessage.Alive(e.key(), e.round()));
        Ballot ballot = known(e.key());
        if (campaign.isHolder() || ballot != null && ballot.isCoordinator()) {
            send(from, new OrderMessage.Coordinator(e.key()));
        } else if (ballot == null) {
            ballot = openForOthers(e.key());
            if (ballot != null) {
                ask(ballot);
                changed(ballot);
            }
        }
    }

    private void answered(Ballot ballot, int from, OrderMessage message) {
        long bit = 1L << from;
        if (message instanceof OrderMessage.Alive e && e.round() == ballot.round) {
            ballot.alive |= bit;
        } else if (message instanceof OrderMessage.Coordinator) {
            ballot.alive |= bit;
            ballot.announced = true;
        } else if (!(message instanceof OrderMessage.Pass e && e.round() == ballot.round)) {
            return;
        }
        ballot.awaited &= ~bit;
        concludeIfAnswered(ballot);
    }

    // ---- preemption ----

    @Override
    void stanceChanged(RecordKey key, OwnCampaign campaign) {
        if (campaign.stance instanceof Stance.Following following && following.term() != campaign.termAskedToEnd) {
            campaign.termAskedToEnd = following.term();
            for (int peer = 0; peer < self; peer++) {
                preempt(key, campaign, peer);
            }
        }
        sayIfAsked(key, campaign);
    }

    /** The leader may be behind that link, and may not have been asked. */
    @Override
    void peerUp(int peer) {
        if (peer < self) {
            campaigns().forEach((key, campaign) -> preempt(key, campaign, peer));
        }
    }

    /** Asks only once it votes: before, it would hear of a vacancy too late to lead, and others would lead in turn. */
    @Override
    void votes(boolean now) {
        boolean begins = now && !votes;
        votes = now;
        for (int peer = 0; begins && peer < self; peer++) {
            peerUp(peer);
        }
    }

    private void preempt(RecordKey key, OwnCampaign campaign, int peer) {
        if (preempt && votes && campaign.stance instanceof Stance.Following following && following.term() > 0) {
            send(peer, new OrderMessage.Preempt(key, following.term()));
        }
    }

    private void askedToLeave(OrderMessage.Preempt e) {
        OwnCampaign campaign = campaign(e.key());
        if (campaign != null) {
            boolean isOther = campaign.stance instanceof Stance.Settling s && s.term() != e.term()
                    || campaign.stance instanceof Stance.Leading l && l.term() != e.term();
            if (!isOther) {
                // Others may see its win before it does.
                campaign.termToEnd = Math.max(campaign.termToEnd, e.term());
                sayIfAsked(e.key(), campaign);
            }
        }
    }

    private void sayIfAsked(RecordKey key, OwnCampaign campaign) {
        if (campaign.stance instanceof Stance.Leading leading
                && leading.term() == campaign.termToEnd
                && leading.term() != campaign.termSaid) {
            campaign.termSaid = leading.term();
            send(new OrderAction.AskedToLeave(key, leading.term()));
        }
    }
}
