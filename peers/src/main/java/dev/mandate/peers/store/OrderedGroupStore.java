package dev.mandate.peers.store;

import dev.mandate.peers.runtime.Nodes;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import dev.mandate.spi.Subscription;

/** A group whose members determine who tries first. A guest has no place, so it tries after them. */
final class OrderedGroupStore extends GroupStore implements Ordered {
    private final boolean isMember;

    OrderedGroupStore(GroupSettings settings, Nodes.Share share) {
        super(settings, share);
        this.isMember = settings.self().isPresent();
    }

    @Override
    public String first() {
        return switch (settings().scheme()) {
            case PEERS -> "any member that campaigns";
            case BULLY -> "the last named member that campaigns";
            case RING -> "the last named member that the token met";
        };
    }

    @Override
    public void stands(RecordKey key, Stance stance) {
        if (isMember) {
            share().node().stands(share(), key, stance);
        }
    }

    @Override
    public Subscription places(Listener listener) {
        return isMember ? kept(share().node().audience().places(listener)) : Subscription.NONE;
    }
}
