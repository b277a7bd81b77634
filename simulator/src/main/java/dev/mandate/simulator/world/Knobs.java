package dev.mandate.simulator.world;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.StoreTraits;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** All that a seed decides before its schedule begins. Times are in nanoseconds, chances from 0 to 1. */
public final class Knobs {
    static final long SECOND = 1_000_000_000L;
    static final long MILLI = 1_000_000L;

    /** The most records that a listing ever has. */
    private static final int PAGE_OF_ALL = 100;

    final Aim aim;
    final StoreKind kind;
    int elections = 1;
    boolean isDefault;

    // The candidates' settings, each its own.
    double maxClockRatio = 1.1;
    LeaseTiming[] timings = {};
    double[] rates = {};
    /** Which machines have no clock that counts from boot. */
    boolean[] estimates = {};

    double serverRate = 1.0;
    Settle settle = Settle.NEVER;
    long settleTimeNanos;
    OverrunPolicy overrun = OverrunPolicy.RELEASE;
    boolean sameNames;
    boolean observers;
    /** How many idle elections a candidate remembers. */
    int idleMax = CandidateMachine.IDLE_MAX;

    // What the store is.
    StoreTraits traits;
    ModelOptions options = ModelOptions.DEFAULT;
    int pageSize = PAGE_OF_ALL;
    /** An acquire takes two requests, one after the other. */
    boolean byHalves;
    /** Leases end by the server's wall clock, which may be set forward by up to the store's reserve, and back. */
    boolean endsByWallClock;

    boolean watch;
    boolean watchShowsRenewals;
    boolean watchSaysOnlyThatSomethingChanged;

    // What the network does.
    long delayMin = MILLI / 10;
    long delayMax = 2 * MILLI;
    long slowMean;
    double requestLoss;
    double answerLoss;
    double duplicate;
    /** A proxy sends a write again that was not answered. */
    double requestDouble;

    double failFast;
    /** One in so many calls that fail at once has no effect. */
    int failInVain = 2;

    /** A call that cannot get through fails at once instead of staying unanswered. */
    boolean refusesCalls;

    double late;
    long lateMax;
    double hintLoss;
    double hintLate;
    long hintLateMax;

    // What the processes do.
    long wakeLagMax;
    boolean asks;
    /** The longest delay before a machine is told that a caller saw the end. */
    long tellMax;

    boolean handles;
    double overrunChance;
    /** The share of overrunning work that never ends. */
    double stuckShare;

    double stopShare = 0.5;
    boolean writes = true;

    // What the nemesis and the users do.
    EnumSet<Fault> nemesis = EnumSet.noneOf(Fault.class);
    EnumSet<Fault> users = EnumSet.noneOf(Fault.class);
    int nemesisSteps;
    int userSteps;
    /** Users withdraw right after an acquire that got no answer. */
    boolean hasty;

    /** The order that says who tries first; null for none. */
    @Nullable
    OrderKnobs order;

    /** The service whose instances the candidates are; null for none. */
    @Nullable
    ServiceKnobs service;

    /** Candidates queue; null if they do not. */
    @Nullable
    QueueKnobs queue;

    long horizonNanos = 120 * SECOND;

    Knobs(Aim aim, StoreKind kind) {
        this.aim = aim;
        this.kind = kind;
        this.traits = StoreTraits.of(kind.text(), kind.expiry(), kind.scope());
    }

    /** How many candidates there are. */
    public int candidates() {
        return timings.length;
    }

    /** Whether an order or a queue says who tries first. */
    public boolean isOrdered() {
        return order != null || queue != null;
    }

    /** The shortest lease that a record may have. */
    long leaseMin() {
        long least = Long.MAX_VALUE;
        for (LeaseTiming timing : timings) {
            least = Math.min(
                    least, Math.min(timing.leaseNanos(), traits.leaseMax().toNanos()));
        }
        return least;
    }

    /** Whether listings may miss records, because they page by position while records disappear. */
    boolean listsVaguely() {
        return options.listsByPosition() && pageSize < PAGE_OF_ALL;
    }

    long leaseMax() {
        long most = 0;
        for (LeaseTiming timing : timings) {
            most = Math.max(most, timing.leaseNanos());
        }
        return most;
    }

    /** The least time that a win settles: the shortest lease that a record may have, or the setting for strangers. */
    long settlingMin() {
        long least = leaseMin();
        return settleTimeNanos == 0 ? least : Math.min(least, settleTimeNanos);
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner("\n  ", "  ", "");
        text.add("aim " + aim.text() + ", expiry " + kind.text() + ", " + candidates() + " candidates, " + elections
                + " elections" + (isDefault ? ", default settings" : ""));
        for (int i = 0; i < timings.length; i++) {
            text.add(String.format(
                    Locale.ROOT,
                    "candidate %d: clock rate %.9f, %s, %s",
                    i,
                    rates[i],
                    estimates[i] ? "no boot clock" : "boot clock",
                    timings[i]));
        }
        text.add(String.format(
                Locale.ROOT,
                "server: clock rate %.9f, expiry factor %.2f, slack %s, lock-delay %s, lease step %s, reserve %s, ends by wall clock %s,"
                        + " acquired by halves %s, %s",
                serverRate,
                traits.expiryFactor(),
                traits.expirySlack(),
                traits.lockDelay(),
                traits.leaseStep(),
                traits.reserve(),
                endsByWallClock,
                byHalves,
                options));
        text.add("settle " + settle + " (foreign " + ms(settleTimeNanos) + "), overrun " + overrun + ", same names "
                + sameNames + ", observers " + observers + ", remembers " + idleMax + " idle" + ", page size "
                + pageSize);
        text.add("watch " + watch + " (renewals " + watchShowsRenewals + ", only gaps "
                + watchSaysOnlyThatSomethingChanged + "), loss " + percent(hintLoss) + ", late " + percent(hintLate)
                + " up to " + ms(hintLateMax));
        text.add("delay " + ms(delayMin) + " to " + ms(delayMax) + " + exponential " + ms(slowMean) + ", requests lost "
                + percent(requestLoss) + ", answers lost " + percent(answerLoss) + ", answers doubled "
                + percent(duplicate) + ", requests " + percent(requestDouble)
                + ", failed "
                + percent(failFast) + " (one in " + failInVain + " in vain), refused when cut off " + refusesCalls
                + ", late " + percent(late) + " up to "
                + ms(lateMax));
        text.add("wake lag up to " + ms(wakeLagMax) + ", asks all the time " + asks + " (told within " + ms(tellMax)
                + ")" + ", handles without tasks "
                + handles + ", overrun chance " + percent(overrunChance) + " (for ever " + percent(stuckShare)
                + "), stops within " + percent(stopShare)
                + " of the drain budget");
        text.add("order " + (order == null ? "none" : order));
        text.add("queues " + (queue == null ? "none" : queue));
        text.add("service " + (service == null ? "none" : service));
        text.add("nemesis " + nemesisSteps + " × " + nemesis);
        text.add("users " + userSteps + " × " + users + ", hasty " + hasty);
        return text.toString();
    }

    private static String ms(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share * 100);
    }

    double[] evenRates(int count) {
        double[] even = new double[count];
        Arrays.fill(even, 1.0);
        return even;
    }
}
