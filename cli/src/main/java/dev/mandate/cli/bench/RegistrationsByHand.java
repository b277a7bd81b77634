package dev.mandate.cli.bench;

import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.InstanceJson;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Writes records of instances without an engine, which nobody renews. */
final class RegistrationsByHand implements AutoCloseable {
    /** What the record of an instance says of itself. */
    static final int BYTES = 200;

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int HEX_DIGITS = 0xF;

    private final Target target;
    private final ElectionStore store;
    private final @Nullable StoreSession session;
    private final Duration lease;

    RegistrationsByHand(Target target) throws InterruptedException {
        this.target = target;
        this.store = target.store();
        StoreTraits traits = store.traits();
        this.lease = LONG.compareTo(traits.leaseMax()) < 0 ? LONG : traits.leaseMax();
        this.session = Target.session(store, lease);
    }

    /** One whose record says {@value #BYTES} bytes of itself. */
    static ServiceInstance instance(int number) {
        ServiceInstance shorter = ServiceInstance.at(
                        "http://10.0." + number / 256 % 256 + "." + number % 256 + ":8080/api")
                .withId("instance-" + number)
                .withMetadata("zone", "eu-central-1" + (char) ('a' + number % 3))
                .withMetadata("version", "2.14." + number % 100);
        StringBuilder commit = new StringBuilder();
        while (bytes(shorter.withMetadata("commit", commit.toString())) < BYTES) {
            commit.append(Integer.toHexString((number + commit.length()) & HEX_DIGITS));
        }
        return shorter.withMetadata("commit", commit.toString());
    }

    private static int bytes(ServiceInstance instance) {
        return value(instance).length();
    }

    /** Its record's value, all ASCII. */
    static String value(ServiceInstance instance) {
        return InstanceJson.write(new InstanceJson.Content(Status.UP.name(), instance.address(), instance.metadata()));
    }

    /** Reads what is there and takes it. Fails unless it was vacant. */
    CompletionStage<WriteOutcome> register(String service, ServiceInstance instance) {
        return store.read(RecordKey.registration(service, instance.id()), Target.call())
                .thenCompose(seen -> register(seen, instance))
                .thenApply(RegistrationsByHand::written);
    }

    /** Takes it on that basis. */
    CompletionStage<WriteOutcome> register(Observation vacant, ServiceInstance instance) {
        return store.acquire(
                vacant.key(), vacant, target.proposal("by-hand", value(instance), lease), session, Target.call());
    }

    Observation read(RecordKey key) throws InterruptedException {
        return Target.await("reading", store.read(key, Target.call()));
    }

    /** Leaves nothing of it. */
    void remove(Observation.Held held) throws InterruptedException {
        WriteOutcome released = written(Target.await("releasing", store.release(held.key(), held, Target.call())));
        if (released instanceof WriteOutcome.Written done && done.now() instanceof Observation.Vacant vacant) {
            Target.await("erasing", store.erase(vacant, Target.call()));
        }
    }

    static WriteOutcome written(WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Written) {
            return outcome;
        }
        throw new Failure(ExitCode.UNEXPECTED, "a write made by hand was refused: " + outcome);
    }

    /** Whether {@code hint} shows that {@code key} is held. */
    static boolean shows(Hint hint, RecordKey key) {
        return hint instanceof Hint.Seen seen
                && seen.observation() instanceof Observation.Held held
                && held.key().equals(key);
    }

    @Override
    public void close() throws InterruptedException {
        if (session != null) {
            Target.await("ending a session", session.end(Target.call()));
        }
        store.close();
    }
}
