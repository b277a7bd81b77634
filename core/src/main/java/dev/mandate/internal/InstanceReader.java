package dev.mandate.internal;

import dev.mandate.engine.FollowingMachine;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the instances of one service. There may be thousands, so what is the same in many of them is kept once. On the
 * loop.
 */
final class InstanceReader implements FollowingMachine.Reading<RegisteredInstance> {
    private static final int SHARED_MAX = 1_000;

    private final String service;
    private final Map<String, String> names = shared();
    private final Map<String, String> values = shared();

    InstanceReader(String service) {
        this.service = service;
    }

    private static Map<String, String> shared() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                return size() > SHARED_MAX;
            }
        };
    }

    /** Whatever else stands among registrations is nobody's. */
    static boolean isInstance(RecordKey key) {
        return key.segments().size() == 2;
    }

    @Override
    public @Nullable RegisteredInstance read(
            Observation.Held held, boolean isVerified, @Nullable RegisteredInstance before) {
        if (!isInstance(held.key())) {
            return null;
        }
        RegisteredInstance read = Instances.of(held, isVerified);
        ServiceInstance says = read.instance();
        if (before == null) {
            return with(read, says.withMetadata(shared(says.metadata())), read.candidate());
        }
        if (says.equals(before.instance())) {
            says = before.instance();
        } else {
            says = says.withId(before.id()).withMetadata(shared(says.metadata()));
        }
        boolean isSameCandidate = read.candidate().equals(before.candidate());
        return with(read, says, isSameCandidate ? before.candidate() : read.candidate());
    }

    private RegisteredInstance with(RegisteredInstance read, ServiceInstance says, String candidate) {
        return new RegisteredInstance(service, says, candidate, read.since(), read.verified());
    }

    private Map<String, String> shared(Map<String, String> metadata) {
        Map<String, String> same = new HashMap<>();
        metadata.forEach((name, value) -> same.put(share(names, name), share(values, value)));
        return same;
    }

    private static String share(Map<String, String> kept, String text) {
        String known = kept.putIfAbsent(text, text);
        return known == null ? text : known;
    }
}
