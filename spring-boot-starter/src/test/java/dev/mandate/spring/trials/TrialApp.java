package dev.mandate.spring.trials;

import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An application of a trial: a process, its network, and when it was inside its method. */
final class TrialApp implements AutoCloseable {
    private final String name;
    private final TrialNetwork network;
    private final CandidateProcess process;
    private long killedNanos = Long.MAX_VALUE;

    /** When it was inside, by the machine's clock. */
    record Inside(String app, long fromNanos, long toNanos, long token) {}

    TrialApp(String name, TrialNetwork network, Path resource, Duration call) {
        this.name = name;
        this.network = network;
        this.process = CandidateProcess.java(
                        TrialApplication.class,
                        resource.toString(),
                        Long.toString(call.toMillis()),
                        "--mandate.url=" + network.url(),
                        "--mandate.candidate=" + name,
                        "--mandate.lease=3s",
                        "--mandate.drain-timeout=1s",
                        "--mandate.renew-interval=500ms",
                        "--spring.main.web-application-type=none",
                        "--logging.level.root=error",
                        "--spring.main.banner-mode=off")
                .named(name)
                .start();
    }

    CandidateProcess process() {
        return process;
    }

    TrialNetwork network() {
        return network;
    }

    /** All its calls; one that has not ended goes on for ever, or until the process was killed. */
    List<Inside> insides() {
        List<Inside> all = new ArrayList<>();
        for (String line : process.lines()) {
            String[] words = line.split(" ", -1);
            if (line.startsWith(TrialApplication.IN)) {
                all.add(new Inside(name, Long.parseLong(words[1]), killedNanos, Long.parseLong(words[2])));
            } else if (line.startsWith(TrialApplication.OUT)) {
                Inside last = all.remove(all.size() - 1);
                all.add(new Inside(name, last.fromNanos(), Long.parseLong(words[1]), last.token()));
            }
        }
        return all;
    }

    /** Whether a call has begun since then. */
    boolean hasBegunSince(long nanos) {
        return process.isAlive() && insides().stream().anyMatch(i -> i.fromNanos() - nanos > 0);
    }

    void kill() {
        process.kill();
        killedNanos = System.nanoTime();
    }

    @Override
    public void close() throws IOException {
        process.close();
        network.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
