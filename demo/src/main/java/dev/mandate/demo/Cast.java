package dev.mandate.demo;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Candidate processes of one election, and what they reported. Compares only times of one clock: {@link
 * System#nanoTime()} of this process for gaps, the machine's wall clock for overlaps. Safe for use from many threads.
 * Closing ends every process.
 */
final class Cast implements AutoCloseable {
    private static final Duration FAREWELL = Duration.ofSeconds(3);

    private final Function<String, StoreAddress> stores;
    private final String election;
    private final long leaseMillis;
    private final Audience audience;
    private final Thread atExit = new Thread(this::killAll, "demo-exit");

    private final List<WorkerProcess> processes = new CopyOnWriteArrayList<>();

    // All guarded by this.
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final TreeMap<Long, Term> terms = new TreeMap<>();
    private @Nullable String overlap;
    private @Nullable String failure;
    private boolean isClosed;

    /** Is notified of events in order, under a lock: must not block for long. */
    interface Audience {
        /** The state of a member changed; {@code event}, if any, describes it. */
        void changed(Cast cast, @Nullable String event);
    }

    /** One process and its last report. */
    static final class Member {
        final WorkerProcess process;
        final long startedNanos = System.nanoTime();
        boolean isFrozen;
        long sees;
        /** Its token while it reports that it leads, else 0. */
        long leads;

        Member(WorkerProcess process) {
            this.process = process;
        }

        String name() {
            return process.name();
        }

        boolean takesPart() {
            return process.isAlive() && !isFrozen;
        }
    }

    static final class Term {
        final long token;
        final String leader;
        /** When this process heard of the term. */
        final long heardNanos;
        /** The leader believed at this time or earlier. */
        final long believedFromMicros;
        /** The leader still believed at this time. */
        long believedUntilMicros;
        /** The last answer of {@code isValid()}, and when it was asked for. */
        Report.@Nullable Beat last;

        Term(long token, String leader, long heardNanos, long atMicros) {
            this.token = token;
            this.leader = leader;
            this.heardNanos = heardNanos;
            this.believedFromMicros = atMicros;
            this.believedUntilMicros = Long.MIN_VALUE;
        }
    }

    /**
     * Starts nobody yet.
     *
     * @param stores the store of the worker with that name
     * @param leaseMillis 0 for the lease in the store's URL
     */
    Cast(Function<String, StoreAddress> stores, String election, long leaseMillis, Audience audience) {
        this.stores = stores;
        this.election = election;
        this.leaseMillis = leaseMillis;
        this.audience = audience;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Starts a new member, or one that has ended again. */
    Member start(String name) {
        // Reports of the new member wait for the lock, so it is known when they arrive.
        synchronized (this) {
            if (isClosed) {
                throw new IllegalStateException("closed");
            }
            AtomicReference<@Nullable Member> own = new AtomicReference<>();
            Member member = new Member(WorkerProcess.start(
                    name,
                    election,
                    stores.apply(name),
                    leaseMillis,
                    (report, nanos) -> told(own, report, nanos),
                    ended -> over(own, ended.exitValue())));
            own.set(member);
            members.put(name, member);
            processes.add(member.process);
            audience.changed(this, null);
            return member;
        }
    }

    private synchronized void told(AtomicReference<@Nullable Member> own, Report report, long nanos) {
        Member member = own.get();
        if (member == null) {
            return;
        }
        String name = member.name();
        String event = null;
        if (report instanceof Report.Leads leads) {
            member.leads = leads.token();
            member.sees = leads.token();
            terms.put(leads.token(), new Term(leads.token(), name, nanos, leads.atMicros()));
            event = name + " leads, token " + leads.token();
            lookForOverlap();
        } else if (report instanceof Report.Beat beat) {
            heard(beat);
        } else if (report instanceof Report.Sees sees) {
            member.sees = sees.token();
        } else if (report instanceof Report.Lost lost) {
            member.leads = 0;
            event = name + " no longer leads, token " + lost.token() + ": " + lost.why();
        } else if (report instanceof Report.Failed failed && failure == null) {
            failure = name + ": " + failed.sentence();
        }
        if (!(report instanceof Report.Beat)) {
            audience.changed(this, event);
        }
        notifyAll();
    }

    private void heard(Report.Beat beat) {
        Term term = terms.get(beat.token());
        if (term == null) {
            return;
        }
        term.last = beat;
        if (beat.valid()) {
            term.believedUntilMicros = Math.max(term.believedUntilMicros, beat.atMicros());
            lookForOverlap();
        }
    }

    private void lookForOverlap() {
        Term former = null;
        for (Term term : terms.values()) {
            if (former != null && former.believedUntilMicros > term.believedFromMicros) {
                overlap = former.leader + " (token " + former.token + ") still believed that it led "
                        + (former.believedUntilMicros - term.believedFromMicros) + " µs after " + term.leader
                        + " (token " + term.token + ") did";
            }
            former = former == null || term.believedUntilMicros >= former.believedUntilMicros ? term : former;
        }
    }

    private synchronized void over(AtomicReference<@Nullable Member> own, int exitCode) {
        Member member = own.get();
        if (member == null) {
            return;
        }
        member.leads = 0;
        // If we end it ourselves, that is reported elsewhere.
        boolean isNews = !isClosed && !member.process.isKilled();
        audience.changed(this, isNews ? member.name() + " has ended, exit code " + exitCode : null);
        notifyAll();
    }

    synchronized void frozen(Member member, boolean isFrozen) {
        member.isFrozen = isFrozen;
        audience.changed(this, null);
    }

    /** All members, in the order of their first start. */
    synchronized List<Member> members() {
        return new ArrayList<>(members.values());
    }

    /** The newest term if its leader still reports it and is neither dead nor frozen; else null. */
    synchronized @Nullable Term leading() {
        if (terms.isEmpty()) {
            return null;
        }
        Term newest = terms.lastEntry().getValue();
        Member leader = members.get(newest.leader);
        return leader != null && leader.takesPart() && leader.leads == newest.token ? newest : null;
    }

    /** The leading term once everybody who takes part knows it; null before. */
    synchronized @Nullable Term settled() {
        Term leading = leading();
        boolean known = leading != null
                && members.values().stream()
                        .filter(Member::takesPart)
                        .allMatch(m -> m.sees == leading.token || m.leads == leading.token);
        return known ? leading : null;
    }

    synchronized Member member(String name) {
        Member member = members.get(name);
        if (member == null) {
            throw new IllegalArgumentException(name);
        }
        return member;
    }

    /** The first term after {@code former} of somebody else; null if there is none yet. */
    synchronized @Nullable Term after(Term former) {
        return terms.tailMap(former.token, false).values().stream()
                .filter(t -> !t.leader.equals(former.leader))
                .findFirst()
                .orElse(null);
    }

    /** Whether the leader of that term has led in a later one. */
    synchronized boolean leadsAgain(Term former) {
        return terms.tailMap(former.token, false).values().stream().anyMatch(t -> t.leader.equals(former.leader));
    }

    /** The last answer of {@code isValid()} in that term. */
    synchronized Report.@Nullable Beat last(Term term) {
        return term.last;
    }

    /** Whether the leader of that term believed that it led at {@code fromMicros} or later. */
    synchronized boolean believed(Term term, long fromMicros) {
        return term.believedUntilMicros >= fromMicros;
    }

    /** Describes two members that believed that they led at once; null if none were seen. */
    synchronized @Nullable String overlap() {
        return overlap;
    }

    /**
     * Waits until {@code wanted} returns a result.
     *
     * @param what completes the sentence "… within 10 s"
     * @throws Failure if it returns none in time, or a worker cannot go on
     */
    synchronized <T> T await(String what, Duration atMost, Supplier<@Nullable T> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (true) {
            T found = wanted.get();
            if (found != null) {
                return found;
            }
            long left = deadline - System.nanoTime();
            if (failure != null || left <= 0) {
                throw new Failure(
                        ExitCode.NOT_SHOWN,
                        failure != null ? failure : what + " within " + atMost.toMillis() / 1000 + " s");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /**
     * Waits for {@code time}.
     *
     * @throws Failure if a worker cannot go on
     */
    synchronized void passing(Duration time) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            if (failure != null) {
                throw new Failure(ExitCode.NOT_SHOWN, failure);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private void killAll() {
        // Not under the lock: another thread may hold it when this process ends.
        processes.forEach(WorkerProcess::killNow);
    }

    /** Ends every process: politely if it takes part, by SIGKILL if it has not ended within 3 s. Idempotent. */
    @Override
    public void close() {
        List<Member> all;
        synchronized (this) {
            isClosed = true;
            all = members();
        }
        all.stream().filter(Member::takesPart).forEach(m -> m.process.end());
        long deadline = System.nanoTime() + FAREWELL.toNanos();
        for (Member member : all) {
            if (!member.isFrozen) {
                member.process.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()));
            }
            member.process.close();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process is ending already; the hook does the same.
        }
    }
}
