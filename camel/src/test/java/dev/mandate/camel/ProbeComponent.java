package dev.mandate.camel;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultConsumer;
import org.apache.camel.support.DefaultEndpoint;

/** An endpoint that consumes nothing and records when its consumer starts and stops, and whether it may. */
final class ProbeComponent extends DefaultComponent {
    final List<String> events = new CopyOnWriteArrayList<>();
    private final BooleanSupplier isLeader;
    private final Runnable starting;

    ProbeComponent(BooleanSupplier isLeader) {
        this(isLeader, () -> {});
    }

    /** @param starting what a consumer does before it has started */
    ProbeComponent(BooleanSupplier isLeader, Runnable starting) {
        this.isLeader = isLeader;
        this.starting = starting;
    }

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) {
        return new Probe(uri);
    }

    private final class Probe extends DefaultEndpoint {
        Probe(String uri) {
            super(uri, ProbeComponent.this);
        }

        @Override
        public Producer createProducer() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer createConsumer(Processor processor) {
            return new DefaultConsumer(this, processor) {
                @Override
                protected void doStart() {
                    starting.run();
                    events.add(isLeader.getAsBoolean() ? "started by the leader" : "started by a follower");
                }

                @Override
                protected void doStop() {
                    events.add("stopped");
                }
            };
        }
    }
}
