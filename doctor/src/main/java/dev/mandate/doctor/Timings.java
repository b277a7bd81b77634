package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long answers took, compared with how long the library awaits them. For one thread. */
final class Timings {
    private final String subject;
    private final String what;
    private final List<Duration> all = new ArrayList<>();

    /**
     * Starts with none.
     *
     * @param what the kind of answer in the singular: {@code read}
     */
    Timings(String subject, String what) {
        this.subject = subject;
        this.what = what;
    }

    void add(Duration took) {
        all.add(took);
    }

    int count() {
        return all.size();
    }

    private Duration quantile(double share) {
        List<Duration> sorted = new ArrayList<>(all);
        Collections.sort(sorted);
        return sorted.get(Math.max(0, (int) Math.ceil(share * sorted.size()) - 1));
    }

    Duration median() {
        return quantile(0.5);
    }

    /** The longest answer. */
    Duration longest() {
        return quantile(1.0);
    }

    /**
     * An error if more than a tenth of the answers (of fewer than ten: half) came too late; a warning if one took more
     * than half the limit.
     *
     * @param answer how long the library awaits one
     */
    Finding judged(Duration answer) {
        String figures = count() + " " + what + (count() == 1 ? "" : "s") + ", median " + Durations.words(median())
                + ", longest " + Durations.words(longest()) + "; the library waits "
                + Durations.words(answer) + " for an answer";
        boolean isLate = quantile(count() < 10 ? 0.5 : 0.9).compareTo(answer) > 0;
        if (isLate) {
            return Finding.error(
                    subject, figures + ": too short for this store; use a longer lease, or set requestTimeout");
        }
        boolean isNear = longest().compareTo(answer.dividedBy(2)) > 0;
        return isNear
                ? Finding.warning(
                        subject,
                        figures + ", which leaves little room; use a longer lease, or find out what slows the store")
                : Finding.ok(subject, figures);
    }
}
