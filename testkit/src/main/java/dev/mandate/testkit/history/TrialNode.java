package dev.mandate.testkit.history;

import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One candidate process of a {@link Trial}, and its network. Used by one thread. */
public final class TrialNode {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Processes that left an election in good order, for the next one: to start one costs more than most trials do. */
    private static final Queue<CandidateProcess> IDLE = new ConcurrentLinkedQueue<>();

    private final String name;
    private final String election;
    private final FaultProxy network;
    private final Path folder;
    private final HistoryLog log;
    private int lives;
    private boolean isFrozen;
    private long frozenNanos;
    private @Nullable CandidateProcess process;

    TrialNode(String name, String election, FaultProxy network, Path folder, HistoryLog log) {
        this.name = name;
        this.election = election;
        this.network = network;
        this.folder = folder;
        this.log = log;
    }

    void start(IntFunction<String> url) {
        CandidateProcess idle = IDLE.poll();
        CandidateProcess taken = idle != null
                ? idle
                : CandidateProcess.java(HistoryCandidate.class).start();
        process = taken;
        lives++;
        taken.send(HistoryCandidate.stand(folder, election, name, life(), url.apply(network.port())));
    }

    private int life() {
        return lives - 1;
    }

    void awaitUp() {
        process().await("it to be up", PATIENCE, HistoryCandidate.up(election, life())::equals);
    }

    boolean isRunning() {
        return process != null;
    }

    /** Between it and the server. */
    public FaultProxy network() {
        return network;
    }

    /** What it said on its output, its log among it. */
    public CandidateProcess process() {
        if (process == null) {
            throw new IllegalStateException("candidate " + name + " is not running; it was killed before");
        }
        return process;
    }

    /** SIGKILL; returns once it is gone. */
    public void kill() {
        process().kill();
        process = null;
        isFrozen = false;
        tell(EventKind.KILLED, 0);
    }

    /** SIGSTOP; returns once it stands still. */
    public void freeze() {
        process().freeze();
        isFrozen = true;
        frozenNanos = System.nanoTime();
        tell(EventKind.FROZEN, 0);
    }

    /** SIGCONT. Call it only when the lease is over for certain: what it believed before must then be over for it, too. */
    public void thaw() {
        if (isFrozen) {
            isFrozen = false;
            tell(EventKind.THAWED, System.nanoTime() - frozenNanos);
            process().thaw();
        }
    }

    /** Asks it to give up its term, if it leads. */
    public void resign() {
        process().send(HistoryCandidate.RESIGN);
    }

    /** Heals its network and thaws it. */
    void heal() throws IOException {
        thaw();
        network.pass();
    }

    /** Closes its client, and waits until that is done. */
    void finish(Duration atMost) {
        CandidateProcess running = process();
        running.send(HistoryCandidate.LEAVE);
        running.await("it to leave", atMost, HistoryCandidate.left(election, life())::equals);
        process = null;
        IDLE.add(running);
    }

    void close() throws IOException {
        if (process != null) {
            process.close();
        }
        network.close();
    }

    private void tell(EventKind kind, long number) {
        log.tell(new Event(System.nanoTime(), name, life(), kind, number, ""));
    }

    @Override
    public String toString() {
        return name;
    }
}
