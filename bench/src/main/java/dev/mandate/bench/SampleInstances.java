package dev.mandate.bench;

import dev.mandate.json.InstanceJson;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;

/** Instances as large as those of users. */
final class SampleInstances {
    /** The least length of an instance's value. */
    static final int BYTES = 200;

    private static final int HEX_DIGITS = 0xF;

    private SampleInstances() {}

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
}
