package dev.mandate.internal;

import dev.mandate.engine.FollowingMachine;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads instances of services. There may be thousands, so values that many share are kept once. On the loop. */
final class InstanceReader implements FollowingMachine.Reading<RegisteredInstance> {
    private final SharedText names = new SharedText();
    private final SharedText values = new SharedText();

    /** Other records among registrations belong to nobody. */
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
            return with(names.same(read.service()), read, says.withMetadata(shared(says.metadata())), read.candidate());
        }
        if (says.equals(before.instance())) {
            says = before.instance();
        } else {
            says = says.withId(before.id()).withMetadata(shared(says.metadata()));
        }
        boolean isSameCandidate = read.candidate().equals(before.candidate());
        return with(before.service(), read, says, isSameCandidate ? before.candidate() : read.candidate());
    }

    private static RegisteredInstance with(
            String service, RegisteredInstance read, ServiceInstance says, String candidate) {
        return new RegisteredInstance(service, says, candidate, read.since(), read.verified());
    }

    private Map<String, String> shared(Map<String, String> metadata) {
        Map<String, String> same = new HashMap<>();
        metadata.forEach((name, value) -> same.put(names.same(name), values.same(value)));
        return same;
    }
}
