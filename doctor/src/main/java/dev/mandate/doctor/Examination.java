package dev.mandate.doctor;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.console.Durations;
import dev.mandate.console.StoreAddress;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Opens a store as an application does and examines its answers, what it says about itself, and a scratch election. */
final class Examination {
    private static final String REACHABLE = "reachable";
    private static final Duration REACH_MAX = Duration.ofSeconds(8);
    private static final Duration DIAGNOSE_MAX = Duration.ofSeconds(5);
    private static final Duration DIAGNOSE_SHORT = Duration.ofSeconds(2);
    private static final int TRIES = 3;
    private static final long PAUSE_NANOS = 300_000_000;
    private static final int READS = 20;
    private static final Duration READS_MAX = Duration.ofSeconds(3);

    private final StoreAddress address;
    private final Diagnosis diagnosis;
    private final String scratch;
    private final boolean letsExpire;

    /**
     * Prepares an examination, to be run once.
     *
     * @param scratch the name of the scratch election
     * @param letsExpire whether to let a lease run out, too
     */
    Examination(StoreAddress address, Diagnosis diagnosis, String scratch, boolean letsExpire) {
        this.address = address;
        this.diagnosis = diagnosis;
        this.scratch = scratch;
        this.letsExpire = letsExpire;
    }

    /**
     * Runs the whole examination; takes seconds, about ten with a store that does not answer.
     *
     * @return the explanation of the settings; empty if the store could not even be opened
     * @throws IllegalArgumentException if the URL or a setting in it is invalid
     */
    Optional<Explanation> run() throws InterruptedException {
        Clocks clocks = new Clocks();
        long beganNanos = System.nanoTime();
        Optional<Explanation> explained = explained();
        if (explained.isEmpty()) {
            return explained;
        }
        Explanation explanation = explained.get();
        try (ElectionStore store = address.open(explanation)) {
            Examined examined = Examined.of(store, explanation);
            boolean isReached = reach(examined, beganNanos);
            List<Finding> own = own(examined, isReached ? DIAGNOSE_MAX : DIAGNOSE_SHORT);
            // One sentence is enough about a store that does not answer at all.
            if (isReached || own.stream().anyMatch(f -> f.severity() == Severity.OK)) {
                own.forEach(diagnosis::add);
            }
            if (isReached) {
                readOften(examined);
                new ScratchElection(examined, diagnosis, scratch, letsExpire).examine();
                diagnosis.add(clocks.judged());
            }
        } catch (StoreSetupException | StoreUnavailableException e) {
            diagnosis.error(REACHABLE, new Unanswered(e).sentence());
        }
        bounds(explanation);
        return explained;
    }

    /** Opens a client to explain the settings; we await the store's first answer ourselves. */
    private Optional<Explanation> explained() {
        try (ElectionClient client =
                address.client().connectTimeout(Duration.ZERO).connect()) {
            return Optional.of(client.explain());
        } catch (StoreSetupException | StoreUnavailableException e) {
            diagnosis.error(REACHABLE, new Unanswered(e).sentence());
            return Optional.empty();
        }
    }

    /** Whether the store answers; asks again for as long as connecting may take. */
    private boolean reach(Examined examined, long beganNanos) throws InterruptedException {
        String name = examined.explanation().store();
        int tries = 0;
        Unanswered last;
        do {
            try {
                read(examined);
                diagnosis.ok(
                        REACHABLE,
                        name + " answers, first after "
                                + Durations.words(Duration.ofNanos(System.nanoTime() - beganNanos)));
                return true;
            } catch (Unanswered e) {
                last = e;
            }
            // A refused connection fails at once.
            LockSupport.parkNanos(PAUSE_NANOS);
            tries++;
        } while (!last.isSetup() && tries < TRIES && System.nanoTime() - beganNanos < REACH_MAX.toNanos());
        diagnosis.error(
                REACHABLE, last.sentence() + (last.isDenied() ? examined.rightFor(Verb.READ, RecordKey.PROBE) : ""));
        return false;
    }

    private static Observation read(Examined examined) throws Unanswered, InterruptedException {
        RecordKey key = RecordKey.PROBE;
        return examined.questions()
                .ask("reading " + key, call -> examined.store().read(key, call));
    }

    /** What the store says about itself. */
    private static List<Finding> own(Examined examined, Duration atMost) throws InterruptedException {
        if (examined.diagnosable().isEmpty()) {
            return List.of(Finding.ok("version", "this store reports nothing about itself; its operations are tried"));
        }
        Diagnosable store = examined.diagnosable().get();
        Duration lease = examined.explanation().lease();
        try {
            return examined
                    .questions()
                    .ask("the store's own findings", atMost, call -> store.diagnose(lease, call))
                    .stream()
                    .limit(Diagnosable.FINDINGS_MAX)
                    .toList();
        } catch (Unanswered e) {
            return List.of(Finding.warning("version", "the store reports nothing about itself: " + e.sentence()));
        }
    }

    private void readOften(Examined examined) throws InterruptedException {
        Timings reads = new Timings("round trip", "read");
        long untilNanos = System.nanoTime() + READS_MAX.toNanos();
        try {
            while (reads.count() < READS && System.nanoTime() - untilNanos < 0) {
                read(examined);
                reads.add(examined.questions().took());
            }
            diagnosis.add(reads.judged(examined.answer()));
        } catch (Unanswered e) {
            diagnosis.error("round trip", "after " + reads.count() + " reads: " + e.sentence());
        }
    }

    private void bounds(Explanation e) {
        Duration overlap = e.overlapAtMost();
        diagnosis.ok("take-over", "at most " + Durations.words(e.failoverAtMost()) + " after a leader crashed");
        diagnosis.ok("overlap", "none; after a forced eviction at most " + Durations.words(overlap));
    }
}
