package dev.mandate.bench;

import dev.mandate.json.InstanceJson;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletionStage;

/** Writes records of instances without an engine; nobody renews them. */
final class RegistrationsByHand implements AutoCloseable {
    /** The least length of an instance's value. */
    static final int BYTES = 200;

    private static final int HEX_DIGITS = 0xF;

    private final RecordsByHand records;

    RegistrationsByHand(Target target) throws InterruptedException {
        this.records = new RecordsByHand(target);
    }

    /** An instance whose value has at least {@value #BYTES} bytes. */
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

    /** The value of the instance's record, all ASCII. */
    static String value(ServiceInstance instance) {
        return InstanceJson.write(new InstanceJson.Content(Status.UP.name(), instance.address(), instance.metadata()));
    }

    /** Reads the record and acquires it. Fails unless it was vacant. */
    CompletionStage<WriteOutcome> register(String service, ServiceInstance instance) {
        return records.take(RecordKey.registration(service, instance.id()), value(instance));
    }

    /** Acquires the record on that basis. */
    CompletionStage<WriteOutcome> register(Observation vacant, ServiceInstance instance) {
        return records.take(vacant, value(instance));
    }

    Observation read(RecordKey key) throws InterruptedException {
        return records.read(key);
    }

    /** Releases the record and erases what is left. */
    void remove(Observation.Held held) throws InterruptedException {
        records.remove(held);
    }

    @Override
    public void close() throws InterruptedException {
        records.close();
    }
}
