package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What a store knows about its bucket, across connections. For one thread, except for the revisions. */
final class KnownBucket {
    private static final System.Logger LOG = System.getLogger(KnownBucket.class.getName());

    private static final String ONE_CLUSTER = "Let the URLs of all candidates name servers of one cluster and JetStream"
            + " domain, and restart those whose URL changes";

    /** How far the clock of the server that created a bucket may differ from those that keep it. */
    private static final Duration CLOCKS_APART = Duration.ofSeconds(1);

    private final NatsSettings settings;
    private final Absence absence = new Absence();

    /** The newest revision of the present bucket seen in answers and watches. Falls if its servers lost some. */
    private final AtomicLong newest = new AtomicLong();

    /** The highest revision ever seen; those of a new bucket must begin above it. */
    private final AtomicLong highest = new AtomicLong();

    private @Nullable Last last;

    /** The bucket's longest time to live so far: no leader counts on more. */
    private Duration longest = Duration.ZERO;

    private boolean isUnfit;

    /** The bucket as last seen, at the servers' time {@code at}. */
    private record Last(Bucket bucket, Instant at, String cluster) {}

    KnownBucket(NatsSettings settings) {
        this.settings = settings;
    }

    /** The newest revision known. Later writes get larger ones, unless the servers lose some. */
    long newest() {
        return newest.get();
    }

    /** Notes that this revision was seen. From any thread. */
    void saw(long revision) {
        newest.accumulateAndGet(revision, Math::max);
        highest.accumulateAndGet(revision, Math::max);
    }

    /** Nobody checked the bucket for a while. */
    void lostSight() {
        absence.end();
    }

    /**
     * Examines the bucket, and creates it if it never existed. A deleted one is created again only when no leader that
     * renewed in it can still believe, and only if its revisions can continue above the old ones. Blocks.
     *
     * @throws StoreSetupException with what to change
     * @throws dev.mandate.StoreUnavailableException if the servers do not answer
     */
    BucketCheck.Found look(BucketCheck.Server server) {
        Last former = last;
        long most = highest.get();
        long known = newest.get();
        long askedNanos = System.nanoTime();
        BucketCheck.Found found;
        try {
            found = new BucketCheck(
                            settings, server, most, add -> whyNotMade(former, server.cluster(), askedNanos, most, add))
                    .examined();
        } catch (StoreSetupException e) {
            if (!absence.isOf(askedNanos)) {
                absence.end();
            }
            throw e;
        }
        absence.end();
        Bucket bucket = found.bucket();
        @Nullable StoreSetupException unfit = found.unfit();
        if (former == null && unfit != null) {
            throw unfit;
        }
        if (former != null && !former.bucket.created().equals(bucket.created())) {
            requireSuccessor(former, bucket, server.cluster());
            requireNoStepBack(found.newest(), most);
        }
        tellUnfit(unfit);
        lostSome(known, found.newest());
        last = new Last(bucket, found.at(), server.cluster());
        longest = longest.compareTo(bucket.ttl()) < 0 ? bucket.ttl() : longest;
        saw(found.newest());
        return found;
    }

    private @Nullable String whyNotMade(@Nullable Last former, String cluster, long askedNanos, long most, String add) {
        if (former == null) {
            return settings.wanted().create() ? null : "there is no such bucket; make it: " + add;
        }
        if (!cluster.equals(former.cluster)) {
            return "the bucket known so far is one of " + cluster(former.cluster) + ", and this is a server of "
                    + cluster(cluster) + ", which has none: another one made here could have a leader beside that of"
                    + " the first. " + ONE_CLUSTER;
        }
        absence.saw(askedNanos, System.nanoTime(), most);
        if (isAwaited() && absence.isLongerThan(longest)) {
            return null;
        }
        String time = longest.toMillis() + " ms, when no leader of the deleted one can believe any more; ";
        return "there is no such bucket any more; wait: "
                + (isAwaited() ? "it is made again after " + time + "or" : "for " + time + "then")
                + " make it: " + add + ", and, before anybody leads in it, raise its revisions: "
                + raise(absence.firstRevision());
    }

    private static String cluster(String name) {
        return name.isEmpty() ? "no cluster" : "the cluster '" + Excerpt.line(name, Causes.LINE_MAX) + "'";
    }

    /**
     * Rejects a second bucket: one created while the former still existed did not replace it, and each may have a
     * leader. The same holds in another JetStream domain or cluster, where a candidate that saw none may have created
     * it.
     */
    private void requireSuccessor(Last former, Bucket now, String cluster) {
        Bucket known = former.bucket;
        boolean isElsewhere = !known.domain().equals(now.domain()) || !cluster.equals(former.cluster);
        Instant made = BucketCheck.instant(now.created());
        if (isElsewhere || made.isBefore(former.at.minus(CLOCKS_APART))) {
            throw new StoreSetupException(settings.name() + ": there are two buckets of this name: the one known so far"
                    + " was made at " + known.created() + " in " + Bucket.domain(known.domain()) + " of "
                    + cluster(former.cluster) + ", and this server has one that was made at "
                    + now.created() + " in " + Bucket.domain(now.domain()) + " of " + cluster(cluster)
                    + (isElsewhere ? "" : ", while the first was still there")
                    + ". Each could have a leader. " + ONE_CLUSTER);
        }
    }

    /** Whether the bucket is missing and will be created again. */
    boolean isAwaited() {
        return absence.isSeen()
                && settings.wanted().create()
                && last != null
                && last.bucket.version().choosesFirstRevision();
    }

    /**
     * Revisions are fencing tokens, so a new bucket of the same name whose revisions start below those already given is
     * rejected. In the same bucket they go back only if its servers lost some. That is not rejected: it mends itself,
     * and no client leads in an election by a smaller token than it saw there.
     */
    private void requireNoStepBack(long now, long most) {
        if (now < most) {
            throw new StoreSetupException(settings.name()
                    + ": it was deleted and made anew, and its revisions went back"
                    + " from " + most + " to " + now + ": fencing tokens would be given twice. Raise them,"
                    + " which ends all terms: " + raise(BucketCheck.firstRevision(most))
                    + "; or reset what checks tokens, and start all candidates anew");
        }
    }

    private String raise(long first) {
        return "nats stream purge " + Subjects.stream(settings.bucket()) + " --seq=" + first;
    }

    /** Notes that the servers lost revisions: later writes are compared with the smaller one. */
    private void lostSome(long known, long now) {
        if (now < known && newest.compareAndSet(known, now)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: the newest revision was {1} and is {2}: the servers lost what they had confirmed, one that is"
                            + " behind answers, or somebody restored an older copy",
                    settings.name(),
                    Long.toString(known),
                    Long.toString(now));
        }
    }

    /** Logs it once, because only candidates get the exception. */
    private void tellUnfit(@Nullable StoreSetupException why) {
        if (why != null && !isUnfit) {
            LOG.log(System.Logger.Level.WARNING, "no candidate can acquire leadership any more: {0}", why.getMessage());
        }
        isUnfit = why != null;
    }
}
