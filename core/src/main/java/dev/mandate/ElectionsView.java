package dev.mandate;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Who leads what, as far as known. Immutable; ask again for a newer one. Created by an {@link ElectionsWatch}; later
 * versions may add members, which changes the constructor.
 *
 * @param leaders the leaders of all elections that have one, by name of the election
 * @param age how long ago the store last listed all of them. Hints do not count, so parts of the view may be newer
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is
 *     the last known list
 */
public record ElectionsView(List<Leader> leaders, Duration age, boolean stale) {
    private static final Comparator<Leader> BY_ELECTION = Comparator.comparing(Leader::election);

    public ElectionsView {
        leaders = sorted(List.copyOf(leaders));
    }

    private static List<Leader> sorted(List<Leader> leaders) {
        for (int i = 1; i < leaders.size(); i++) {
            if (BY_ELECTION.compare(leaders.get(i - 1), leaders.get(i)) > 0) {
                return leaders.stream().sorted(BY_ELECTION).toList();
            }
        }
        return leaders;
    }

    /** The leader of that election, if it is in the list. */
    public Optional<Leader> find(String election) {
        int low = 0;
        int high = leaders.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = leaders.get(middle).election().compareTo(election);
            if (order == 0) {
                return Optional.of(leaders.get(middle));
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return Optional.empty();
    }
}
