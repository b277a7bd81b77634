package dev.mandate.testkit.history;

import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.FaultProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One candidate process of a {@link Trial}, and its network. Used by one thread. */
public final class TrialNode {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Processes that left an election in good order, kept for the next: starting one costs more than most trials. */
    private static final Queue<CandidateProcess> IDLE = new ConcurrentLinkedQueue<>();

    private final String name;
    private final String election;
    private final TrialSeat seat;
    private final Path folder;
    private final HistoryLog log;
    private int lives;
    private boolean isFrozen;
    private long frozenNanos;
    private @Nullable CandidateProcess process;

    TrialNode(String election, TrialSeat seat, Path folder, HistoryLog log) {
        this.name = seat.name();
        this.election = election;
        this.seat = seat;
        this.folder = folder;
        this.log = log;
    }

    void start() {
        CandidateProcess idle = isShared() ? IDLE.poll() : null;
        CandidateProcess taken = idle == null ? started() : idle;
        process = taken;
        lives++;
        taken.send(HistoryCandidate.campaign(folder, election, name, life(), seat.url()));
    }

    private CandidateProcess started() {
        CandidateProcess.Builder builder =
                CandidateProcess.java(HistoryCandidate.class).through(seat.launcher());
        seat.environment().forEach(builder::environment);
        return builder.start();
    }

    /** Whether another trial can reuse its process. */
    private boolean isShared() {
        return seat.environment().isEmpty() && seat.launcher().isEmpty();
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

    /**
     * The proxy between it and the server.
     *
     * @throws IllegalStateException if this trial has another kind of network
     */
    public FaultProxy network() {
        if (seat.network() instanceof TrialSeat.Proxied proxied) {
            return proxied.proxy();
        }
        throw new IllegalStateException("candidate " + name + " has no proxy to a server");
    }

    void pass() throws IOException {
        seat.network().pass();
    }

    /** Its process, with all its output including the log. */
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

    /** SIGSTOP; returns once it has stopped. */
    public void freeze() {
        process().freeze();
        isFrozen = true;
        frozenNanos = System.nanoTime();
        tell(EventKind.FROZEN, 0);
    }

    /** SIGCONT. Call it only when the lease is certainly over: it must then no longer believe the former term. */
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
        pass();
    }

    /** Closes its client, and waits until that is done. */
    void finish(Duration atMost) {
        CandidateProcess running = process();
        running.send(HistoryCandidate.LEAVE);
        running.await("it to leave", atMost, HistoryCandidate.left(election, life())::equals);
        process = null;
        if (isShared()) {
            IDLE.add(running);
        } else {
            running.close();
        }
    }

    void close() throws IOException {
        if (process != null) {
            process.close();
        }
        seat.network().close();
    }

    private void tell(EventKind kind, long number) {
        log.tell(new Event(System.nanoTime(), name, life(), kind, number, ""));
    }

    @Override
    public String toString() {
        return name;
    }
}
