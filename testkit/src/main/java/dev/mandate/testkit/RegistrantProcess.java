package dev.mandate.testkit;

import dev.mandate.ElectionClient;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A process that registers one instance, for a test that kills or freezes it. It reads its orders from standard input,
 * one a line, words separated by tabs: an argument would show the URL to others.
 */
public final class RegistrantProcess {
    private static final String REGISTER = "register";
    private static final String ADDRESS = "address";
    private static final String REGISTERED = "registered";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private RegistrantProcess() {}

    /** No arguments. Ends when its input ends, without closing its registration. */
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String[] order = in.readLine().split("\t");
        ElectionClient client = ElectionClient.builder(order[1])
                .candidate("process")
                .connectTimeout(PATIENCE)
                .connect();
        Registration registration = client.registry()
                .register(order[2], ServiceInstance.at(order[4]).withId(order[3]));
        if (registration.awaitRegistered(PATIENCE)) {
            System.out.println(REGISTERED);
        }
        obey(in, registration);
        Runtime.getRuntime().halt(0);
    }

    private static void obey(BufferedReader in, Registration registration) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] order = line.split("\t");
            if (order[0].equals(ADDRESS)) {
                registration.update(now -> now.withAddress(order[1]));
            }
        }
    }

    /**
     * Starts a process that has registered when this returns.
     *
     * @throws AssertionError if it has not in time
     */
    public static CandidateProcess start(String url, String service, String id, String address, Duration atMost) {
        CandidateProcess process =
                CandidateProcess.java(RegistrantProcess.class).start();
        try {
            process.send(String.join("\t", REGISTER, url, service, id, address));
            process.await("its being registered", atMost, REGISTERED::equals);
            return process;
        } catch (RuntimeException | Error e) {
            process.close();
            throw e;
        }
    }

    /** Tells it to register another address, once it runs. */
    public static void move(CandidateProcess process, String address) {
        process.send(ADDRESS + "\t" + address);
    }
}
