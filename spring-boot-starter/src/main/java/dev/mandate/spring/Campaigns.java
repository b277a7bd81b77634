package dev.mandate.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The candidacies of a context, by election. Safe for use from many threads. */
final class Campaigns {
    private final Map<String, Campaign> campaigns = new LinkedHashMap<>();

    /** Another one with each start of the context; null while that does not run. Changes under this object's lock. */
    private volatile @Nullable Starter starter;

    /** Begins candidacies. */
    interface Starter {
        /** Begins one, if {@code isWanted} says so. Called under no lock: it may create beans. */
        void start(Campaign campaign, BooleanSupplier isWanted);
    }

    /**
     * The candidacy of {@code wanted}'s election: the one that is there, or else {@code wanted}, which begins with the
     * context, or now if that runs already.
     *
     * @throws MandateStartException if the one that is there has other options, or it can't begin
     */
    Campaign join(Campaign wanted) {
        Campaign joined;
        Starter now;
        synchronized (this) {
            joined = campaigns.putIfAbsent(wanted.election(), wanted);
            if (joined == null) {
                joined = wanted;
            } else {
                requireSameOptions(joined, wanted);
            }
            now = starter;
        }
        if (now != null) {
            try {
                begin(joined, now);
            } catch (RuntimeException | Error e) {
                forget(joined);
                throw e;
            }
        }
        return joined;
    }

    private void begin(Campaign campaign, Starter now) {
        if (!campaign.hasBegun()) {
            now.start(campaign, () -> starter == now);
        }
    }

    /** One that could not begin keeps no other from trying, with other options perhaps. */
    private synchronized void forget(Campaign refused) {
        if (!refused.hasBegun()) {
            campaigns.remove(refused.election(), refused);
        }
    }

    /** The candidacy in that election, which a method names. */
    synchronized Campaign find(String election) {
        return Objects.requireNonNull(campaigns.get(election), election);
    }

    private static void requireSameOptions(Campaign there, Campaign wanted) {
        requireSame(
                there,
                wanted,
                "otherwise",
                there.otherwise().name(),
                wanted.otherwise().name());
        requireSame(there, wanted, "publish", "'" + there.publish() + "'", "'" + wanted.publish() + "'");
    }

    private static void requireSame(Campaign one, Campaign other, String option, String value, String otherValue) {
        if (!value.equals(otherValue)) {
            throw new MandateStartException(
                    "@LeaderOnly(\"" + one.election() + "\") has " + option + "=" + value + " on " + one.method()
                            + ", but " + option + "=" + otherValue + " on " + other.method() + ".",
                    "Give both the same options, or name another election.");
        }
    }

    /**
     * Begins all candidacies, and from now on those that come.
     *
     * @throws MandateStartException if one can't begin; those that have begun are ended
     */
    void startAll(Starter begin) {
        List<Campaign> all;
        synchronized (this) {
            starter = begin;
            all = new ArrayList<>(campaigns.values());
        }
        try {
            all.forEach(each -> begin(each, begin));
        } catch (RuntimeException | Error e) {
            stopAll().forEach(each -> each.stop(Duration.ZERO));
            throw e;
        }
    }

    /** The candidacies to end; from now on none begins. */
    synchronized List<Campaign> stopAll() {
        starter = null;
        return new ArrayList<>(campaigns.values());
    }
}
