package dev.mandate.internal;

import dev.mandate.registry.Registration;
import dev.mandate.registry.Registry;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.util.List;

/** The registry of one client: what it registers, and what it follows. */
final class ClientRegistry implements Registry {
    private final Client client;

    ClientRegistry(Client client) {
        this.client = client;
    }

    @Override
    public Registration register(String service, ServiceInstance instance) {
        client.requireOpen();
        throw new UnsupportedOperationException("register");
    }

    @Override
    public ServiceView instances(String service) {
        throw new UnsupportedOperationException("instances");
    }

    @Override
    public ServiceWatch watch(String service, ServiceListener listener) {
        throw new UnsupportedOperationException("watch");
    }

    @Override
    public List<String> services() {
        throw new UnsupportedOperationException("services");
    }
}
