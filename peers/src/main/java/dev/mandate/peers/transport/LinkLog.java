package dev.mandate.peers.transport;

import dev.mandate.Leader;
import dev.mandate.spi.Ration;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a transport writes to the log: ten lines about one subject, then one a minute; the same line again only after a
 * minute. A logger that blocks does not hold up frames. Used only on the loop's thread.
 */
final class LinkLog {
    /** The subject that all guests share. */
    static final String GUESTS = "guests";

    /** Subjects are members and a few words; guests share one. */
    private static final int SUBJECTS_MAX = 128;

    private static final long SPACING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final class Subject {
        private final Ration ration = new Ration(SPACING_NANOS);
        private long lastNanos;
        private String said = "";
        private long saidNanos;
        private long repeated;
    }

    private final Map<String, Subject> subjects = new HashMap<>();
    private final LogLines lines;

    LinkLog(System.Logger logger, String thread) {
        this.lines = new LogLines(logger, thread);
    }

    /** Logs something that needs attention. */
    void trouble(String subject, String sentence, long nowNanos) {
        say(Level.WARNING, subject, sentence, nowNanos);
    }

    /** Logs something normal. */
    void well(String subject, String sentence, long nowNanos) {
        say(Level.INFO, subject, sentence, nowNanos);
    }

    /** Writes the waiting lines, and nothing after them. Any thread; does not wait. */
    void close() {
        lines.close();
    }

    private void say(Level level, String subject, String sentence, long nowNanos) {
        try {
            if (subjects.size() >= SUBJECTS_MAX && !subjects.containsKey(subject)) {
                return;
            }
            Subject about = subjects.computeIfAbsent(subject, unknown -> new Subject());
            if (nowNanos - about.lastNanos >= SPACING_NANOS) {
                about.ration.renew();
            }
            about.lastNanos = nowNanos;
            if (sentence.equals(about.said) && nowNanos - about.saidNanos < SPACING_NANOS) {
                about.repeated++;
                return;
            }
            long times = about.ration.happened(nowNanos);
            if (times > 0) {
                times += about.repeated;
                about.repeated = 0;
                about.said = sentence;
                about.saidNanos = nowNanos;
                String line = Leader.printable(sentence) + (times > 1 ? " times=" + times : "");
                lines.write(to -> to.log(level, line));
            }
        } catch (RuntimeException | Error e) {
            // No memory: this line is lost.
        }
    }
}
