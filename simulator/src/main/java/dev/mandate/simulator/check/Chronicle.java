package dev.mandate.simulator.check;

import dev.mandate.spi.Id;
import dev.mandate.spi.Observation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All that each key held, in order. Every report about a key is checked against it. */
public final class Chronicle {
    /** The key never held that. */
    public static final int NEVER = -1;

    private final List<List<Entry>> entries = new ArrayList<>();
    /** Since when each entry holds, in true time. */
    private final List<List<Long>> times = new ArrayList<>();

    /** One state of a key; {@code attempt} is null for a vacancy and for a stranger's record. */
    private record Entry(@Nullable Id attempt, boolean foreign, long term, String value, boolean leave) {
        static final Entry VACANT = new Entry(null, false, 0, "", false);

        static Entry of(@Nullable Observation seen) {
            if (!(seen instanceof Observation.Held held)) {
                return VACANT;
            }
            return held.isForeign()
                    ? new Entry(null, true, 0, held.shown(), false)
                    : new Entry(
                            held.record().attempt(),
                            false,
                            held.term(),
                            held.record().value(),
                            held.record().leave());
        }
    }

    /** For {@code elections} elections, all vacant. */
    public Chronicle(int elections) {
        for (int i = 0; i < elections; i++) {
            List<Entry> list = new ArrayList<>();
            list.add(Entry.VACANT);
            entries.add(list);
            times.add(new ArrayList<>(List.of(0L)));
        }
    }

    /** The key holds this from {@code at} on, in true time. */
    public void stands(int election, Observation now, long at) {
        List<Entry> list = entries.get(election);
        Entry entry = Entry.of(now);
        if (!entry.equals(list.get(list.size() - 1))) {
            list.add(entry);
            times.get(election).add(at);
        }
    }

    /** Since when the key held what {@link #find} found, in true time. */
    public long since(int election, int found) {
        return times.get(election).get(found);
    }

    /** The index of the first entry from {@code from} on that equals {@code seen} (null: vacant), or {@link #NEVER}. */
    public int find(int election, Observation.@Nullable Held seen, int from) {
        List<Entry> list = entries.get(election);
        Entry wanted = Entry.of(seen);
        for (int i = from; i < list.size(); i++) {
            if (list.get(i).equals(wanted)) {
                return i;
            }
        }
        return NEVER;
    }

    /** Whether the key ever held a record of {@code attempt} with one of these values. */
    public boolean stood(int election, Id attempt, List<String> values) {
        for (Entry entry : entries.get(election)) {
            if (attempt.equals(entry.attempt) && values.contains(entry.value)) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@code attempt} also had another term: its record went, and a duplicate request wrote it anew. */
    public boolean stoodAtAnotherTerm(int election, Id attempt, long term) {
        for (Entry entry : entries.get(election)) {
            if (attempt.equals(entry.attempt) && entry.term != term) {
                return true;
            }
        }
        return false;
    }

    /** Whether the record of {@code attempt} went and came back, as when a renewal lands after the lease. */
    public boolean cameBack(int election, Id attempt) {
        boolean stood = false;
        boolean went = false;
        for (Entry entry : entries.get(election)) {
            boolean stands = attempt.equals(entry.attempt);
            if (stands && went) {
                return true;
            }
            stood |= stands;
            went |= stood && !stands;
        }
        return false;
    }

    /** The values of the records of {@code attempt}, in order, each once. */
    public List<String> values(int election, Id attempt) {
        List<String> values = new ArrayList<>();
        for (Entry entry : entries.get(election)) {
            if (attempt.equals(entry.attempt) && !values.contains(entry.value)) {
                values.add(entry.value);
            }
        }
        return values;
    }
}
