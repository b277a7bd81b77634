package dev.mandate.examples.discovery;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderResolver;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;

/** Resolves {@code mandate:///ELECTION} for gRPC: to the leader of that election, whose value is {@code host:port}. */
public final class LeaderNames extends NameResolverProvider {
    private final ElectionClient client;

    /** Follows each election that a channel names. */
    public LeaderNames(ElectionClient client) {
        this.client = client;
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        LeaderResolver resolver = client.election(target.getPath().substring(1)).resolver();
        return new NameResolver() {
            @Override
            public void start(Listener2 channel) {
                resolver.observe(view -> view.leader().ifPresent(leader -> channel.onResult(at(leader))));
            }

            @Override
            public void refresh() { // a connection broke: asks the store again before anybody is given
                resolver.now().map(Leader::token).ifPresent(resolver::failed);
            }

            @Override
            public void shutdown() {
                resolver.close();
            }

            @Override
            public String getServiceAuthority() {
                return resolver.election();
            }
        };
    }

    private static NameResolver.ResolutionResult at(Leader leader) {
        int colon = leader.value().lastIndexOf(':');
        int port = Integer.parseInt(leader.value().substring(colon + 1));
        InetSocketAddress address = new InetSocketAddress(leader.value().substring(0, colon), port);
        return NameResolver.ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromValue(List.of(new EquivalentAddressGroup(address))))
                .build();
    }

    @Override
    public String getDefaultScheme() {
        return "mandate";
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return 5;
    }
}
