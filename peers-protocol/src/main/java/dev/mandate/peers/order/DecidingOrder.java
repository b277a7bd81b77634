package dev.mandate.peers.order;

import dev.mandate.engine.Entropy;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What bully and ring share: this member's stance towards each election, which peers are down, and one {@link Decision}
 * for each election whose order is being determined.
 *
 * <p><strong>Bounds.</strong> One {@link OwnCampaign} for each election that this member campaigns in. One decision for
 * each of those, and for at most {@link #RELAYED_MAX} others, each forgotten {@link OrderTiming#placeNanos()} after its
 * last use. A request for a place is answered by then, whatever {@link #proceed} does.
 */
abstract sealed class DecidingOrder<D extends Decision> implements Order permits Bully, Ring {
    /** The most elections for which this member relays messages without campaigning; it does not answer beyond that. */
    static final int RELAYED_MAX = 1 << 14;

    final int self;
    final int members;
    final OrderTiming timing;
    final Entropy entropy;
    long nowNanos = Long.MIN_VALUE;

    private final Map<RecordKey, OwnCampaign> campaigns = new HashMap<>();
    private final Map<RecordKey, D> decisions = new HashMap<>();
    private final Agenda<D> agenda = new Agenda<>();
    /** Peers last reported as up; {@link #down}: those last reported as down. */
    private long up;

    private long down;
    private List<OrderAction> out = new ArrayList<>();

    DecidingOrder(int self, int members, OrderTiming timing, Entropy entropy) {
        if (members < 1 || members > MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    "the group has " + members + " members; it must have 1 to " + MEMBERS_MAX);
        }
        if (self < 0 || self >= members) {
            throw new IllegalArgumentException("self is member " + self + "; it must be 0 to " + (members - 1));
        }
        this.self = self;
        this.members = members;
        this.timing = timing;
        this.entropy = entropy;
    }

    // ---- what bully and ring do differently ----

    abstract D decision(RecordKey key);

    /** This member seeks a place, and the order is not known yet; others may have begun. */
    abstract void seek(D decision);

    /** A wait that is specific to this order is over. Must end that wait. */
    abstract void proceed(D decision);

    /** The vacancy or the search for a place is over: begins nothing more. */
    abstract void rest(D decision);

    abstract void peerDown(D decision, int peer);

    abstract void peerUp(int peer);

    /** This member votes from now on, or no longer does. */
    abstract void votes(boolean votes);

    abstract void received(int from, OrderMessage message);

    /** This member's stance has changed. */
    abstract void stanceChanged(RecordKey key, OwnCampaign campaign);

    /** Whether knowledge about an election that this member does not campaign in helps others. */
    abstract boolean isRelay();

    // ---- events ----

    @Override
    public final List<OrderAction> step(OrderEvent event, long at) {
        nowNanos = Math.max(nowNanos, at);
        proceedInTime();
        if (event instanceof OrderEvent.StanceChanged e) {
            changeStance(e.key(), e.stance());
        } else if (event instanceof OrderEvent.Received e) {
            if (isPeer(e.from())) {
                received(e.from(), e.message());
            }
        } else if (event instanceof OrderEvent.Link e && isPeer(e.peer())) {
            link(e.peer(), e.up());
        } else if (event instanceof OrderEvent.Votes e) {
            votes(e.votes());
        }
        List<OrderAction> done = out;
        out = new ArrayList<>();
        return done;
    }

    @Override
    public final long wakeAtNanos() {
        return agenda.wakeAtNanos();
    }

    private boolean isPeer(int member) {
        return member >= 0 && member < members && member != self;
    }

    private void proceedInTime() {
        for (D due = agenda.due(nowNanos); due != null; due = agenda.due(nowNanos)) {
            if (nowNanos >= due.placeUntilNanos) {
                due.placeUntilNanos = Long.MAX_VALUE;
                rest(due);
                send(new OrderAction.Placed(due.key, OrderAction.Placed.UNKNOWN));
            }
            if (nowNanos >= due.keptUntilNanos) {
                forget(due);
            } else {
                if (nowNanos >= due.waitsUntilNanos()) {
                    proceed(due);
                }
                agenda.update(due);
            }
        }
    }

    private void changeStance(RecordKey key, Stance stance) {
        OwnCampaign campaign = campaigns.get(key);
        boolean sought = campaign != null && campaign.isSeeking();
        boolean seeks = stance == Stance.Seeking.INSTANCE;
        if (campaign == null) {
            campaign = new OwnCampaign(stance);
        }
        campaign.stance = stance;
        boolean isCampaigning = stance != Stance.Absent.INSTANCE;
        if (isCampaigning) {
            campaigns.put(key, campaign);
        } else {
            campaigns.remove(key);
        }
        D decision = decisions.get(key);
        if (decision != null && !decision.over && (sought && !seeks || campaign.isHolder())) {
            decision.over = true;
            decision.placeUntilNanos = Long.MAX_VALUE;
            rest(decision);
            agenda.update(decision);
        }
        if (!isCampaigning && decision != null && !isRelay()) {
            forget(decision);
        }
        if (seeks && !sought) {
            seek(key, decision);
        } else if (seeks && decision != null && decision.told != OrderAction.Placed.UNKNOWN) {
            // Another client of this member, which does not know the place yet.
            send(new OrderAction.Placed(key, decision.told));
        }
        if (isCampaigning) {
            stanceChanged(key, campaign);
        }
    }

    private void seek(RecordKey key, @Nullable D known) {
        if (known != null && known.over) {
            forget(known);
        }
        D decision = known == null || known.over ? open(key) : known;
        decision.placeUntilNanos = nowNanos + timing.placeNanos();
        keep(decision);
        seek(decision);
        tell(decision);
        agenda.update(decision);
    }

    private void link(int peer, boolean isUp) {
        long bit = 1L << peer;
        if (isUp && (up & bit) == 0) {
            up |= bit;
            down &= ~bit;
            peerUp(peer);
        } else if (!isUp && (down & bit) == 0) {
            up &= ~bit;
            down |= bit;
            for (D decision : List.copyOf(decisions.values())) {
                peerDown(decision, peer);
                agenda.update(decision);
            }
        }
    }

    // ---- what bully and ring share ----

    final boolean isDown(int peer) {
        return (down & 1L << peer) != 0;
    }

    /** This member's stance towards the election; null if it does not campaign. */
    final @Nullable OwnCampaign campaign(RecordKey key) {
        return campaigns.get(key);
    }

    final Map<RecordKey, OwnCampaign> campaigns() {
        return campaigns;
    }

    final boolean isSeeking(Decision decision) {
        OwnCampaign campaign = campaigns.get(decision.key);
        return campaign != null && campaign.isSeeking();
    }

    final @Nullable D known(RecordKey key) {
        return decisions.get(key);
    }

    /** A new decision; null if this member does not campaign in that election, and relays too many already. */
    final @Nullable D openForOthers(RecordKey key) {
        return campaigns.containsKey(key) || decisions.size() < campaigns.size() + RELAYED_MAX ? open(key) : null;
    }

    private D open(RecordKey key) {
        D decision = decision(key);
        keep(decision);
        decisions.put(key, decision);
        agenda.add(decision);
        return decision;
    }

    /** It was used: keeps it for another while. */
    final void keep(D decision) {
        decision.keptUntilNanos = nowNanos + timing.placeNanos();
    }

    /** Call it after anything that {@code decision} waits for may have changed. */
    final void changed(D decision) {
        agenda.update(decision);
    }

    private void forget(D decision) {
        agenda.remove(decision);
        decisions.remove(decision.key, decision);
    }

    /** Sets this member's place, and reports it if this member seeks one and it is news. */
    final void place(D decision, int place) {
        decision.place = place;
        tell(decision);
    }

    private void tell(D decision) {
        if (decision.place != decision.told && isSeeking(decision)) {
            decision.told = decision.place;
            decision.placeUntilNanos = Long.MAX_VALUE;
            send(new OrderAction.Placed(decision.key, decision.place));
        }
    }

    final void send(OrderAction action) {
        out.add(action);
    }

    /** Sends {@code message}, except over a link that is down. */
    final void send(int to, OrderMessage message) {
        if (!isDown(to)) {
            send(new OrderAction.Send(to, message));
        }
    }

    /** How many elections it remembers something of. */
    final int remembered() {
        return Math.max(campaigns.size(), decisions.size());
    }

    /** In how many elections the order is being determined. */
    final int decided() {
        return decisions.size();
    }
}
