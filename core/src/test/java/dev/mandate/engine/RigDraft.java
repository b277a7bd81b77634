package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.RecordKey;
import java.time.Duration;

/** What a {@link Rig} is made from. */
final class RigDraft {
    final StoreKind kind;
    RecordKey key = Rig.KEY;
    LeaseTiming timing = Rig.TIMING;
    Settle settle = Settle.AFTER_FOREIGN;
    Duration settleTime = Duration.ZERO;
    Duration reserve = Duration.ZERO;
    OverrunPolicy overrun = OverrunPolicy.RELEASE;
    ModelOptions options = ModelOptions.DEFAULT;
    Entropy entropy = new SteadyEntropy();
    long originNanos = 5_000_000_000_000L;
    boolean ordered;

    RigDraft(StoreKind kind) {
        this.kind = kind;
    }

    RigDraft timing(LeaseTiming value) {
        this.timing = value;
        return this;
    }

    RigDraft settle(Settle value) {
        this.settle = value;
        return this;
    }

    RigDraft settleTime(Duration value) {
        this.settleTime = value;
        return this;
    }

    RigDraft overrun(OverrunPolicy value) {
        this.overrun = value;
        return this;
    }

    RigDraft reserve(Duration value) {
        this.reserve = value;
        return this;
    }

    RigDraft store(ModelOptions value) {
        this.options = value;
        return this;
    }

    RigDraft entropy(Entropy value) {
        this.entropy = value;
        return this;
    }

    RigDraft origin(long value) {
        this.originNanos = value;
        return this;
    }

    /** It registers, and stands in no election. */
    RigDraft registering() {
        this.key = Rig.REGISTRATION;
        return this;
    }

    /** The store says who tries first. */
    RigDraft ordered() {
        this.ordered = true;
        return this;
    }

    Rig idle() {
        return new Rig(this);
    }

    /** Stands, and knows what is in the store. */
    Rig following() {
        Rig rig = idle();
        rig.campaign("value");
        rig.serve();
        return rig;
    }

    Rig leading() {
        Rig rig = following();
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        return rig;
    }
}
