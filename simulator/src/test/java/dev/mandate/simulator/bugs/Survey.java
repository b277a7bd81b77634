package dev.mandate.simulator.bugs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures what it takes to find a bug: hunts from many seed bases, always the same ones. */
final class Survey {
    /** So many hunts for each bug. */
    static final int HUNTS = 21;

    /**
     * The budget of a bug is at least so many times the seeds that half of the hunts need. Whether a seed finds it is a
     * matter of chance, the same for every seed; so a hunt that is given n times the median misses with a probability
     * of 2 to the power of -n. With 30, all hunts of a build together miss once in ten million builds, and a build may
     * hunt from a seed base that is new.
     */
    static final long MARGIN = 30;

    private static final long FIRST_BASE = 7_000_000_000L;
    private static final long BASES_APART = 1_000_003L;

    private Survey() {}

    /**
     * Hunts for {@code bug}: once if its measures are known, else as often as it takes to measure.
     *
     * @throws IllegalStateException if a hunt does not find it within its budget
     */
    static Ledger.Entry of(PlantedBug bug, Ledger.@Nullable Entry known) {
        Hunt hunt = Hunt.plant(bug);
        List<Find> finds = new ArrayList<>();
        for (int i = 0; i < (known == null ? HUNTS : 1); i++) {
            long base = FIRST_BASE + i * BASES_APART;
            finds.add(hunt.from(base)
                    .orElseThrow(() -> new IllegalStateException(
                            bug.name() + " is not found from " + base + " on within " + bug.seedsMax() + " seeds")));
        }
        Find first = finds.get(0);
        if (known != null) {
            return new Ledger.Entry(first.invariant(), first.kind(), first.seed(), known.median(), known.most());
        }
        long[] needed = finds.stream().mapToLong(Find::seeds).sorted().toArray();
        return new Ledger.Entry(first.invariant(), first.kind(), first.seed(), needed[HUNTS / 2], needed[HUNTS - 1]);
    }
}
