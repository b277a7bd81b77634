package dev.mandate.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The candidacies of a context, by election. Safe for use from many threads. */
final class Campaigns {
    private final Map<String, Campaign> campaigns = new LinkedHashMap<>();

    /** Begins a candidacy; null while the context does not run. */
    private @Nullable Consumer<Campaign> starter;

    /**
     * The candidacy of {@code wanted}'s election: the one that is there, or else {@code wanted}, which begins with the
     * context, or now if that runs already.
     *
     * @throws MandateStartException if the one that is there has other options
     */
    synchronized Campaign join(Campaign wanted) {
        Campaign there = campaigns.get(wanted.election());
        if (there == null) {
            campaigns.put(wanted.election(), wanted);
            if (starter != null) {
                starter.accept(wanted);
            }
            return wanted;
        }
        requireSame(
                there,
                wanted,
                "otherwise",
                there.otherwise().name(),
                wanted.otherwise().name());
        requireSame(there, wanted, "publish", "'" + there.publish() + "'", "'" + wanted.publish() + "'");
        return there;
    }

    /** The candidacy in that election, which a method names. */
    synchronized Campaign find(String election) {
        return Objects.requireNonNull(campaigns.get(election), election);
    }

    private static void requireSame(Campaign one, Campaign other, String option, String value, String otherValue) {
        if (!value.equals(otherValue)) {
            throw new MandateStartException(
                    "@LeaderOnly(\"" + one.election() + "\") has " + option + "=" + value + " on " + one.method()
                            + ", but " + option + "=" + otherValue + " on " + other.method() + ".",
                    "Give both the same options, or name another election.");
        }
    }

    synchronized void startAll(Consumer<Campaign> begin) {
        campaigns.values().forEach(begin);
        starter = begin;
    }

    /** The candidacies to end; from now on none begins. */
    synchronized List<Campaign> stopAll() {
        starter = null;
        return new ArrayList<>(campaigns.values());
    }
}
