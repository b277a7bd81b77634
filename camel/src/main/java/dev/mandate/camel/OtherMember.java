package dev.mandate.camel;

import org.apache.camel.cluster.CamelClusterMember;

/** Another instance, as it was seen. */
record OtherMember(String id, boolean isLeader) implements CamelClusterMember {
    @Override
    public boolean isLocal() {
        return false;
    }

    @Override
    public String getId() {
        return id;
    }
}
