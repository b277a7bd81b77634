package dev.mandate.peers.store;

import dev.mandate.peers.runtime.Nodes;
import dev.mandate.peers.url.GroupScheme;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.peers.url.GroupUrl;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Opens {@code bully://a:7401,b:7401,c:7401?self=b:7401&state=DIR&secretFile=FILE}, {@code ring:} and {@code peers:}. A
 * process that opens it with {@code self} is a member until its last client is closed. A process that may create
 * nothing ({@link StoreUrl#mayCreate}) is a guest, whatever the URL says.
 */
public final class GroupStoreProvider implements ElectionStoreProvider {
    /** Found by {@link java.util.ServiceLoader}. */
    public GroupStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Arrays.stream(GroupScheme.values()).map(GroupScheme::word).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Map<String, String> parameters() {
        return GroupUrl.parameters();
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public boolean hasOwnOrder(String scheme) {
        return !scheme.equals(GroupScheme.PEERS.word());
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        GroupSettings settings = GroupUrl.settings(url);
        // Looking must create neither a voter nor its directory; the member itself may be running elsewhere.
        return store(url.mayCreate() ? settings : settings.asGuest());
    }

    /** A client's share of the node, which is started if necessary. */
    private static ElectionStore store(GroupSettings settings) {
        Nodes.Share share = Nodes.open(settings);
        // A guest tries after the members, even if these have no order among themselves.
        return settings.scheme() == GroupScheme.PEERS && settings.self().isPresent()
                ? new GroupStore(settings, share)
                : new OrderedGroupStore(settings, share);
    }
}
