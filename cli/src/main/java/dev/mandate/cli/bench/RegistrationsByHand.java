package dev.mandate.cli.bench;

import dev.mandate.json.InstanceJson;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletionStage;

/** Writes records of instances without an engine, which nobody renews. */
final class RegistrationsByHand implements AutoCloseable {
    /** What the record of an instance says of itself. */
    static final int BYTES = 200;

    private static final int HEX_DIGITS = 0xF;

    private final RecordsByHand records;

    RegistrationsByHand(Target target) throws InterruptedException {
        this.records = new RecordsByHand(target);
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
        return records.take(RecordKey.registration(service, instance.id()), value(instance));
    }

    /** Takes it on that basis. */
    CompletionStage<WriteOutcome> register(Observation vacant, ServiceInstance instance) {
        return records.take(vacant, value(instance));
    }

    Observation read(RecordKey key) throws InterruptedException {
        return records.read(key);
    }

    /** Leaves nothing of it. */
    void remove(Observation.Held held) throws InterruptedException {
        records.remove(held);
    }

    @Override
    public void close() throws InterruptedException {
        records.close();
    }
}
