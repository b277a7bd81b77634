package dev.mandate.engine;

import dev.mandate.engine.SessionAction.End;
import dev.mandate.engine.SessionAction.Open;
import dev.mandate.engine.SessionAction.Renew;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the one lease that all elections of a client share; same shape as {@link ElectionMachine}.
 *
 * <table>
 * <caption>The life of one session</caption>
 * <tr><th>state</th><th>what happens</th><th>next</th></tr>
 * <tr><td>none</td><td>some election campaigns</td><td>opening</td></tr>
 * <tr><td>opening</td><td>opened, in time</td><td>open: all elections are told</td></tr>
 * <tr><td></td><td>no answer, or opened too late to be believed</td>
 * <td>none, and again after the retry spacing; a late one is ended</td></tr>
 * <tr><td>open</td><td>renewed</td><td>open, from the send of that renewal</td></tr>
 * <tr><td></td><td>its stop has passed, whoever saw it first</td>
 * <td>latched: all elections are told, and another one is opened</td></tr>
 * <tr><td></td><td>gone</td><td>over: all elections are told, and another one is opened</td></tr>
 * <tr><td>latched</td><td>work drains or overruns under it</td>
 * <td>latched, and renewed to cover that work alone</td></tr>
 * <tr><td></td><td>nothing is covered</td><td>ending</td></tr>
 * <tr><td>ending</td><td>ended, gone, or certainly over by the store's clock</td><td>over: all elections
 * are told</td></tr>
 * </table>
 *
 * <p>A latched session never becomes open again. Not safe for use from several threads.
 */
final class SessionMachine {
    /**
     * How many latched sessions may wait for their end before no further one is opened. Those that cover work do not
     * count: each election has at most one, and the work may never end.
     */
    private static final int ENDING_MAX = 16;

    /** Receives the news of sessions. */
    interface Listener {
        void up(SessionLease session);

        void latched(SessionLease session);

        void over(SessionLease session);
    }

    /** One session from its opening on. */
    private static final class Life {
        final SessionLease lease;
        /** When the newest renewal was sent, answered or not: it may have landed. */
        long askedNanos;

        long renewAtNanos;
        int failures;
        boolean renewed;
        boolean latched;
        boolean ending;
        long pendingRequest = -1;
        Now pendingSent = Now.NEVER;
        long pendingUntilNanos = Long.MAX_VALUE;

        Life(SessionLease lease, Now sent) {
            this.lease = lease;
            this.askedNanos = sent.monotonicNanos();
        }
    }

    private final ElectionSettings settings;
    private final Entropy entropy;
    private final Retries retries;
    private final LongSupplier requests;
    private final Listener listener;
    private final List<Life> lives = new ArrayList<>(1);
    private @Nullable Life current;
    private boolean wanted;
    private boolean closing;
    private @Nullable String fault;
    private long openAtNanos = Long.MIN_VALUE;
    /** Openings in a row that failed, or whose session was never renewed. */
    private int openingFailed;

    private long openRequest = -1;
    /** The request that opened the newest session. */
    private long openedRequest = -1;

    private Now openSent = Now.NEVER;

    private Now now = Now.NEVER;
    private List<Action> out = new ArrayList<>(0);

    SessionMachine(
            ElectionSettings settings, Entropy entropy, Retries retries, LongSupplier requests, Listener listener) {
        this.settings = settings;
        this.entropy = entropy;
        this.retries = retries;
        this.requests = requests;
        this.listener = listener;
    }

    /** The session that can carry new attempts, or null. */
    @Nullable
    SessionLease current() {
        return current == null ? null : current.lease;
    }

    /** Whether some election campaigns; an open session is kept in either case. */
    void want(boolean wanted) {
        this.wanted = wanted;
    }

    /** From now on ends every session, except those that cover work: these are left to expire. */
    void close() {
        closing = true;
    }

    /** Whether nothing is left to end, except what covers work. */
    boolean isClosed() {
        return closing && openRequest < 0 && lives.stream().allMatch(l -> l.lease.isCovering());
    }

    /**
     * Ends what is over and handles {@code event}; null for the mere passing of time. Tell the listener before you call
     * {@link #proceed}: only the elections know what they still need a session for.
     */
    void look(@Nullable SessionEvent event, Now at, List<Action> actions) {
        begin(at, actions);
        endWhatIsOver();
        if (event != null) {
            lookAt(event);
        }
    }

    /** Starts whatever is due. */
    void proceed(Now at, List<Action> actions) {
        begin(at, actions);
        startWhatIsDue();
    }

    private void begin(Now at, List<Action> actions) {
        now = at.notBefore(now);
        out = actions;
    }

    private void endWhatIsOver() {
        if (openRequest >= 0
                && nanos() - openSent.monotonicNanos() >= settings.timing().requestTimeoutNanos()) {
            notOpened();
        }
        // Backwards, because this loop removes sessions that are over.
        for (int i = lives.size() - 1; i >= 0; i--) {
            Life life = lives.get(i);
            if (nanos() >= life.pendingUntilNanos) {
                unanswered(life);
            }
            if (!life.latched && !life.lease.isOpen(now)) {
                latch(life);
            }
            if (life.latched && !life.lease.isCovering() && nanos() >= overAtNanos(life)) {
                over(life);
            }
        }
    }

    private void lookAt(SessionEvent event) {
        if (event instanceof SessionEvent.Opened e) {
            opened(e);
        } else if (event instanceof SessionEvent.Latched e) {
            lives.stream()
                    .filter(l -> l.lease == e.session() && !l.latched)
                    .toList()
                    .forEach(this::latch);
        } else if (event instanceof SessionEvent.Renewed e) {
            Life life = take(e.request());
            if (life != null) {
                renewed(life, e.renewal());
            }
        } else if (event instanceof SessionEvent.Ended e) {
            Life life = take(e.request());
            if (life != null) {
                over(life);
            }
        } else if (event instanceof SessionEvent.Unanswered e) {
            if (e.request() == openRequest) {
                notOpened();
            } else {
                Life life = take(e.request());
                if (life != null) {
                    unanswered(life);
                }
            }
        } else if (event instanceof SessionEvent.Faulted e) {
            faulted(e);
        }
    }

    private void faulted(SessionEvent.Faulted e) {
        long retryAt = nanos() + entropy.jittered(settings.timing().faultRetryNanos());
        if (e.request() == openRequest) {
            notOpened();
            openAtNanos = retryAt;
        } else {
            Life life = take(e.request());
            if (life == null) {
                return;
            }
            unanswered(life);
            if (life.latched) {
                // No term is at stake any more.
                life.renewAtNanos = retryAt;
            }
        }
        if (!e.message().equals(fault)) {
            fault = e.message();
            out.add(new SessionAction.Fault(fault));
        }
    }

    private void opened(SessionEvent.Opened e) {
        boolean known = lives.stream().anyMatch(l -> l.lease.handle().equals(e.handle()));
        if (known || e.request() == openedRequest) {
            // The same answer again. Taken for a late one, it would end the session in use, or one that work used until
            // this very instant without knowing of the end.
            return;
        }
        if (e.request() != openRequest || closing) {
            // Late: nothing was ever acquired under it, and nobody will renew it.
            out.add(new End(requests.getAsLong(), settings.timing().requestTimeoutNanos(), e.handle()));
            openRequest = e.request() == openRequest ? -1 : openRequest;
            return;
        }
        StoreSession handle = e.handle();
        long granted = LeaseTiming.boundedNanos(handle.granted());
        if (granted == 0) {
            out.add(new End(requests.getAsLong(), settings.timing().requestTimeoutNanos(), handle));
            notOpened();
            return;
        }
        openRequest = -1;
        well();
        LeaseTiming timing = settings.timing().granted(granted);
        LeaseWindow window = timing.window(openSent, granted);
        Life life = new Life(new SessionLease(handle, window, timing), openSent);
        life.renewAtNanos = renewAt(life, openSent);
        lives.add(life);
        openedRequest = e.request();
        current = life;
        if (life.lease.isOpen(now)) {
            listener.up(life.lease);
        } else {
            latch(life);
        }
    }

    private void renewed(Life life, SessionRenewal renewal) {
        well();
        if (!(renewal instanceof SessionRenewal.Renewed renewed)) {
            over(life);
            return;
        }
        long granted = LeaseTiming.boundedNanos(renewed.granted());
        if (granted == 0) {
            unanswered(life);
            return;
        }
        life.failures = 0;
        life.renewed = true;
        if (life == current) {
            openingFailed = 0;
        }
        life.renewAtNanos = renewAt(life, life.pendingSent);
        if (life.latched) {
            return;
        }
        LeaseWindow window = life.lease.timing().window(life.pendingSent, granted);
        if (!life.lease.cell().extend(window)) {
            latch(life);
        }
    }

    private void well() {
        if (fault != null) {
            fault = null;
            out.add(new SessionAction.Fault(null));
        }
    }

    /**
     * Randomly a little before the interval is over, so that clients which began together do not renew
     * together for ever.
     */
    private long renewAt(Life life, Now sent) {
        long interval = life.lease.timing().renewIntervalNanos();
        return sent.monotonicNanos() + interval - entropy.below(interval / 10 + 1);
    }

    private void notOpened() {
        openRequest = -1;
        openLater(nanos());
    }

    private void openLater(long failedNanos) {
        openingFailed++;
        openAtNanos = failedNanos
                + retries.pauseNanos(openingFailed, settings.timing().pollIntervalNanos(), nanos());
    }

    private void unanswered(Life life) {
        life.pendingRequest = -1;
        life.pendingUntilNanos = Long.MAX_VALUE;
        life.failures++;
        if (!life.ending) {
            retries.renews(nanos());
        }
        long pause = life.ending
                ? retries.pauseNanos(life.failures, settings.timing().renewIntervalNanos(), nanos())
                : timing(life).renewalRetryNanos(life.failures);
        life.renewAtNanos = nanos() + pause;
    }

    private @Nullable Life take(long request) {
        for (Life life : lives) {
            if (life.pendingRequest == request) {
                life.pendingRequest = -1;
                life.pendingUntilNanos = Long.MAX_VALUE;
                return life;
            }
        }
        return null;
    }

    private void latch(Life life) {
        life.lease.cell().latch();
        // The news first: whatever fails afterwards, no session ends before the elections have covered their work.
        listener.latched(life.lease);
        life.latched = true;
        lost(life);
    }

    /** A session that was never renewed counts as a failed opening, to avoid bursts of sessions. */
    private void lost(Life life) {
        if (current == life) {
            current = null;
            if (!life.renewed) {
                openLater(openSent.monotonicNanos());
            }
        }
    }

    private void over(Life life) {
        life.lease.over();
        listener.over(life.lease);
        lives.remove(life);
        lost(life);
    }

    private void startWhatIsDue() {
        if (openAtNanos == Long.MIN_VALUE && opens()) {
            openAtNanos = nanos() + entropy.below(settings.timing().splayNanos() + 1);
        }
        if (opens() && nanos() >= openAtNanos) {
            openRequest = requests.getAsLong();
            openSent = now;
            out.add(new Open(
                    openRequest,
                    settings.timing().requestTimeoutNanos(),
                    settings.timing().leaseNanos()));
        }
        for (int i = 0; i < lives.size(); i++) {
            proceed(lives.get(i));
        }
    }

    /** Whether to open another session as soon as its time has come. */
    private boolean opens() {
        if (!wanted || closing || current != null || openRequest >= 0) {
            return false;
        }
        int ending = 0;
        for (Life life : lives) {
            ending += life.lease.isCovering() ? 0 : 1;
        }
        return ending < ENDING_MAX;
    }

    private void proceed(Life life) {
        boolean covering = life.lease.isCovering();
        if (closing && !life.latched) {
            latch(life);
        }
        if (life.pendingRequest >= 0 || nanos() < dueAtNanos(life) || closing && covering) {
            return;
        }
        life.ending = life.latched && !covering;
        life.pendingRequest = requests.getAsLong();
        life.pendingSent = now;
        long timeout = timing(life).requestTimeoutNanos();
        life.pendingUntilNanos = nanos() + timeout;
        if (!life.ending) {
            life.askedNanos = nanos();
        }
        StoreSession handle = life.lease.handle();
        out.add(
                life.ending
                        ? new End(life.pendingRequest, timeout, handle)
                        : new Renew(life.pendingRequest, timeout, handle));
    }

    /**
     * Paces its requests: the granted lease, which may be very short, while something depends on it;
     * then the usual one.
     */
    private LeaseTiming timing(Life life) {
        return life.latched ? settings.timing() : life.lease.timing();
    }

    private long dueAtNanos(Life life) {
        // The first try to end is made at once; later ones are spaced like renewals.
        return life.latched && !life.lease.isCovering() && !life.ending ? Long.MIN_VALUE : life.renewAtNanos;
    }

    /** From then on the store has certainly freed what the session held, if nobody renews it any more. */
    private long overAtNanos(Life life) {
        return life.askedNanos + settings.freedNanos() + settings.timing().requestTimeoutNanos();
    }

    long wakeAtNanos() {
        long wake = opens() ? openAtNanos : Long.MAX_VALUE;
        if (openRequest >= 0) {
            wake = openSent.monotonicNanos() + settings.timing().requestTimeoutNanos();
        }
        for (Life life : lives) {
            if (life.pendingRequest >= 0) {
                wake = Math.min(wake, life.pendingUntilNanos);
            } else if (!(closing && life.lease.isCovering())) {
                wake = Math.min(wake, dueAtNanos(life));
            }
            wake = Math.min(
                    wake,
                    life.latched
                            ? life.lease.isCovering() ? Long.MAX_VALUE : overAtNanos(life)
                            : life.lease.cell().isLatched()
                                    ? Long.MIN_VALUE
                                    : life.lease.cell().window().stopAtNanos(now));
        }
        return wake;
    }

    private long nanos() {
        return now.monotonicNanos();
    }
}
