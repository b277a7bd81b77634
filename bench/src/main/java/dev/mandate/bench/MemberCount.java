package dev.mandate.bench;

import java.util.Arrays;

/**
 * What a member's process has done so far, and what it has open.
 *
 * @param processorNanos processor time, without that of the JIT compiler, which is done some time after a start
 * @param frames payloads that it sent to other members
 * @param threads of the JVM
 * @param files open descriptors, sockets included; 0 if the system does not say
 * @param reads of single records that its client asked for
 * @param renewals that its client asked for
 * @param requests of all kinds that its client asked for
 * @param lost terms that it won and that have ended
 */
record MemberCount(
        long processorNanos,
        long frames,
        long threads,
        long files,
        long reads,
        long renewals,
        long requests,
        long lost) {

    /** The counts as a line. */
    String line() {
        return processorNanos + " " + frames + " " + threads + " " + files + " " + reads + " " + renewals + " "
                + requests + " " + lost;
    }

    /** Reads what {@link #line} wrote. */
    static MemberCount parse(String line) {
        long[] n = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
        return new MemberCount(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
    }

    /** What was added since {@code before}; threads, files and losses as they are now. */
    MemberCount since(MemberCount before) {
        return new MemberCount(
                processorNanos - before.processorNanos,
                frames - before.frames,
                threads,
                files,
                reads - before.reads,
                renewals - before.renewals,
                requests - before.requests,
                lost);
    }
}
