package dev.mandate.simulator.check;

import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When each key was vacant or its holder silent, in true time. Reported vacancies are checked against it. */
public final class Silences {
    private static final long ROUNDING_NANOS = 1_000;

    private final List<List<Silence>> silences = new ArrayList<>();

    /**
     * What one key showed without a new sign of life.
     *
     * @param sign the last sign of life; null if the key was vacant
     * @param leaseNanos the holder's lease; 0 if its record does not say
     * @param since when this sign first appeared, in true time
     * @param from when the key began to show it
     */
    private record Silence(@Nullable Liveness sign, long leaseNanos, long since, long from) {}

    /** For {@code elections} elections, all vacant at time 0. */
    public Silences(int elections) {
        for (int i = 0; i < elections; i++) {
            List<Silence> list = new ArrayList<>();
            list.add(new Silence(null, 0, 0, 0));
            silences.add(list);
        }
    }

    /** The key shows this now. */
    public void stands(int election, Observation seen, long now) {
        List<Silence> list = silences.get(election);
        Liveness before = list.get(list.size() - 1).sign;
        if (!(seen instanceof Observation.Held held)) {
            if (before != null) {
                list.add(new Silence(null, 0, now, now));
            }
        } else if (!held.liveness().equals(before)) {
            list.add(new Silence(
                    held.liveness(),
                    held.lease().map(Duration::toNanos).orElse(0L),
                    first(list, held.liveness(), now),
                    now));
        }
    }

    /** A session that takes another key, or the same one again, gives no new sign of life thereby. */
    private static long first(List<Silence> list, Liveness sign, long now) {
        for (Silence silence : list) {
            if (sign.equals(silence.sign)) {
                return silence.since;
            }
        }
        return now;
    }

    /**
     * Whether the key was vacant, or its holder silent for its lease, at any time from {@code from} to {@code now}.
     *
     * @param otherwise the lease of a holder whose record does not say it
     * @param rate the rate of the clock that measured the silence
     */
    public boolean wasSilent(int election, long otherwise, double rate, long from, long now) {
        List<Silence> list = silences.get(election);
        long until = now;
        for (int i = list.size() - 1; i >= 0 && (until > from || until == now); i--) {
            Silence silence = list.get(i);
            double lease = (silence.leaseNanos > 0 ? silence.leaseNanos : otherwise) / rate;
            if (silence.sign == null || until - silence.since >= lease - ROUNDING_NANOS) {
                return true;
            }
            until = silence.from;
        }
        return false;
    }
}
