package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.SilentLibraries;
import dev.mandate.console.StoreAddress;
import dev.mandate.registry.Registration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Some registrants in their own process, to be killed. Obeys the commands on standard input, answers each with a line
 * on standard output, and exits when its input ends:
 *
 * <ul>
 *   <li>{@code register N SERVICE PREFIX}: registers N instances whose ids begin with PREFIX, each with its own client.
 *   <li>{@code close N}: closes N of these clients.
 * </ul>
 */
public final class RegistrantMain {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StoreAddress store;
    private final Deque<ElectionClient> clients = new ArrayDeque<>();

    private RegistrantMain(StoreAddress store) {
        this.store = store;
    }

    /** Runs until standard input ends; the environment names the store. */
    public static void main(String[] args) throws IOException, InterruptedException {
        SilentLibraries.install();
        RegistrantMain main = new RegistrantMain(StoreAddress.resolve(null, System.getenv()));
        BenchProcess.serve(main::obey);
        main.close(Integer.MAX_VALUE);
        System.exit(0);
    }

    private String obey(String[] words) throws InterruptedException {
        int count = Integer.parseInt(words[1]);
        if (words[0].equals("register")) {
            register(count, words[2], words[3]);
        } else {
            close(count);
        }
        return "done";
    }

    private void register(int count, String service, String prefix) throws InterruptedException {
        List<Registration> registrations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ElectionClient client = store.client()
                    .candidate(prefix + i)
                    .connectTimeout(PATIENCE)
                    .connect();
            clients.add(client);
            registrations.add(client.registry()
                    .register(service, SampleInstances.instance(i).withId(prefix + i)));
        }
        awaitRegistered(registrations);
    }

    /** Waits until all are registered, for at most a minute each. */
    static void awaitRegistered(List<Registration> registrations) throws InterruptedException {
        for (Registration registration : registrations) {
            if (!registration.awaitRegistered(PATIENCE)) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "instance " + registration.id() + " was not registered within " + PATIENCE.toSeconds() + " s: "
                                + registration.state().reason());
            }
        }
    }

    private void close(int count) {
        for (int i = 0; i < count && !clients.isEmpty(); i++) {
            clients.remove().close();
        }
    }
}
