package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Examines a bucket before use, and creates a missing one. Reports all faults at once, with remedies. Blocks. */
final class BucketCheck {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration MARKER_TTL = Duration.ofMinutes(1);
    private static final Duration DUPLICATES_MAX = Duration.ofMinutes(2);
    private static final int VALUE_BYTES_MAX = 64 * 1024;
    private static final int VALUE_BYTES_MIN = 1024;

    /** Allowance for a record without its value. */
    private static final int RECORD_BYTES = 4 * 1024;

    /** One byte of a value may take this many in JSON. */
    private static final int STRETCH = 6;

    private final NatsSettings settings;
    private final Server server;
    private final ServerVersion version;
    private final String stream;
    private final long revision;
    private final Absent absent;

    /** Decides what to do about a missing bucket. */
    interface Absent {
        /**
         * Called when the bucket was found missing.
         *
         * @param add the command that creates it
         * @return why it is not created, and what to do; null to create it
         */
        @Nullable
        String whyNotMade(String add);
    }

    /** The server to ask. */
    interface Server {
        String version();

        /** The name of its cluster; empty for none. */
        String cluster();

        /** Whether this server runs JetStream. */
        boolean hasJetStream();

        long maxPayload();

        /**
         * Sends one JetStream request and returns its answer; null if there is no responder.
         *
         * @throws dev.mandate.ElectionException without an answer
         */
        @Nullable
        Json ask(String what, String verb, String body);
    }

    /**
     * What was found.
     *
     * @param newest the bucket's newest revision
     * @param at the time by its servers' clock; the epoch if they did not say
     * @param unfit why no candidate may acquire leadership in it: its time to live does not fit the lease. Held records
     *     may be renewed and live only as long as the bucket allows. Null if all is well
     */
    record Found(
            Bucket bucket,
            long newest,
            Instant at,
            @Nullable StoreSetupException unfit) {}

    /** Checks a bucket about which nothing is known yet: creates it if the URL allows. */
    BucketCheck(NatsSettings settings, Server server) {
        this(
                settings,
                server,
                0,
                add -> settings.wanted().create() ? null : "there is no such bucket; make it: " + add);
    }

    /** {@code revision} is the newest one known: a created bucket starts above it. */
    BucketCheck(NatsSettings settings, Server server, long revision, Absent absent) {
        this.settings = settings;
        this.absent = absent;
        this.server = server;
        this.revision = revision;
        this.version = ServerVersion.of(server.version());
        this.stream = Subjects.stream(settings.bucket());
    }

    /**
     * Examines the bucket and creates it if missing. Afterwards it exists and is usable, but for {@link Found#unfit}.
     *
     * @throws StoreSetupException with what to change
     * @throws StoreUnavailableException if the servers do not answer
     */
    Found examined() {
        if (!version.isKnown()) {
            throw wrong("the server says version '" + Excerpt.line(server.version(), Causes.LINE_MAX) + "'; "
                    + ServerVersion.OLDEST + " or newer is needed");
        }
        Json found = info();
        if (found.object("error").number("err_code") == Fault.NO_STREAM) {
            found = made();
        }
        if (found.has("error")) {
            throw Fault.of(settings.name(), "looking at the bucket", found.object("error"));
        }
        return examined(found);
    }

    private Json info() {
        return asked("looking at the bucket", "STREAM.INFO." + stream, "");
    }

    private Json asked(String what, String verb, String body) {
        @Nullable Json answer = server.ask(what, verb, body);
        if (answer != null) {
            return answer;
        }
        if (!server.hasJetStream()) {
            throw wrong("the server has no JetStream; start it with -js, or enable it in its configuration");
        }
        throw new StoreUnavailableException(
                settings.name() + ": " + what + ": JetStream has no leader, or is starting");
    }

    // ---- made ----

    private Json made() {
        WantedBucket wanted = settings.wanted();
        @Nullable
        String why = absent.whyNotMade(
                "nats kv add " + settings.bucket() + " --ttl=" + seconds(ttl(expiring())) + " --replicas="
                        + Math.max(1, wanted.replicas())
                        + (expiring() == Expiring.KEY ? " --marker-ttl=" + seconds(MARKER_TTL) : ""));
        if (why != null) {
            throw wrong(why);
        }
        if (wanted.expiring() == Expiring.KEY && !version.hasTimesToLive()) {
            throw wrong(noTimesToLive());
        }
        if (wanted.replicas() > 1 && !version.keepsReplicasApart()) {
            throw wrong(noReplicas(wanted.replicas(), version));
        }
        Json answer = asked("making the bucket", "STREAM.CREATE." + stream, configuration());
        if (!answer.has("error")) {
            return answer;
        }
        // Another client may have created it first, with other settings.
        Json others = info();
        return others.has("error") ? answer : others;
    }

    private Expiring expiring() {
        Expiring wanted = settings.wanted().expiring();
        return wanted != null ? wanted : version.hasTimesToLive() ? Expiring.KEY : Expiring.BUCKET;
    }

    private Duration ttl(Expiring expiring) {
        @Nullable Duration given = settings.wanted().ttl();
        if (given != null) {
            return given;
        }
        Duration lease = settings.lease() == null ? LEASE : settings.lease();
        if (expiring == Expiring.BUCKET) {
            return lease;
        }
        Duration longer = lease.multipliedBy(2);
        return longer.compareTo(TTL) > 0 ? longer : TTL;
    }

    private String configuration() {
        Expiring expiring = expiring();
        Duration ttl = ttl(expiring);
        Map<String, String> config = new TreeMap<>();
        config.put("name", '"' + stream + '"');
        config.put("subjects", "[\"" + Subjects.all(settings.bucket()) + "\"]");
        config.put("description", "\"Leaders elected by Mandate\"");
        config.put("retention", "\"limits\"");
        config.put("storage", settings.wanted().inMemory() ? "\"memory\"" : "\"file\"");
        config.put(
                "num_replicas", Integer.toString(Math.max(1, settings.wanted().replicas())));
        config.put("max_msgs_per_subject", "1");
        config.put("max_age", Long.toString(ttl.toNanos()));
        config.put(
                "duplicate_window",
                Long.toString((ttl.compareTo(DUPLICATES_MAX) < 0 ? ttl : DUPLICATES_MAX).toNanos()));
        config.put("max_msgs", "-1");
        config.put("max_bytes", "-1");
        config.put("max_msg_size", "-1");
        config.put("max_consumers", "-1");
        config.put("discard", "\"new\"");
        config.put("allow_rollup_hdrs", "true");
        config.put("allow_direct", "true");
        config.put("deny_delete", "true");
        if (expiring == Expiring.KEY) {
            config.put("allow_msg_ttl", "true");
            config.put("subject_delete_marker_ttl", Long.toString(MARKER_TTL.toNanos()));
        }
        if (version.choosesFirstRevision()) {
            // Revisions are fencing tokens, so those of a bucket that replaces a deleted one must be larger.
            config.put("first_seq", Long.toString(firstRevision(revision)));
        }
        StringBuilder json = new StringBuilder("{");
        config.forEach((name, value) -> json.append(json.length() == 1 ? "" : ",")
                .append('"')
                .append(name)
                .append("\":")
                .append(value));
        return json.append('}').toString();
    }

    /** The time in microseconds, which outpaces writes; at least {@code seen} + 1, if an earlier clock was ahead. */
    static long firstRevision(long seen) {
        Instant now = Instant.now();
        return Math.max(seen + 1, now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000);
    }

    // ---- examined ----

    private Found examined(Json found) {
        Json config = found.object("config");
        Duration ttl = config.duration("max_age");
        boolean admitsKeys = config.flag("allow_msg_ttl") && hasTimesToLive(found);
        Expiring wanted = settings.wanted().expiring();
        Expiring expiring = wanted != null ? wanted : admitsKeys ? Expiring.KEY : Expiring.BUCKET;
        List<String> wrong = new ArrayList<>();
        List<String> unfit = new ArrayList<>();
        form(config, wrong);
        replicas(found, (int) config.number("num_replicas"), wrong);
        if (ttl.isZero()) {
            wrong.add("its keys live for ever; give it a time to live: nats stream edit " + stream + " --max-age="
                    + seconds(ttl(expiring)));
        } else if (expiring == Expiring.KEY) {
            ownTimesToLive(hasTimesToLive(found), admitsKeys, ttl, wrong, unfit);
        } else {
            bucketsTimeToLive(ttl, unfit);
        }
        markers(found, wrong);
        int valueBytes = valueBytes(config.number("max_msg_size"), wrong);
        if (!wrong.isEmpty()) {
            wrong.addAll(unfit);
            throw wrong(String.join("; and ", wrong));
        }
        Bucket bucket = new Bucket(
                version,
                !server.cluster().isEmpty(),
                expiring,
                ttl,
                admitsKeys ? config.duration("subject_delete_marker_ttl") : Duration.ZERO,
                (int) config.number("num_replicas"),
                config.text("storage").equals("memory"),
                valueBytes,
                found.text("created"),
                found.text("domain"));
        return new Found(
                bucket,
                found.object("state").number("last_seq"),
                time(found),
                unfit.isEmpty() ? null : wrong(String.join("; and ", unfit)));
    }

    /** The servers' time; before 2.10 they report only when the newest message came. */
    private static Instant time(Json found) {
        Instant now = instant(found.text("ts"));
        Instant newest = instant(found.object("state").text("last_ts"));
        return now.isAfter(newest) ? now : newest;
    }

    /** Parses a time; returns the epoch if it can't. */
    static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }

    /** Whether both the connected server and the bucket's leader have them. */
    private boolean hasTimesToLive(Json found) {
        return version.hasTimesToLive() && leader(found).hasTimesToLive();
    }

    private void form(Json config, List<String> wrong) {
        if (config.has("mirror") || config.size("sources") > 0) {
            wrong.add("it is a mirror or has sources; use the original");
        }
        if (config.number("max_msgs_per_subject") != 1) {
            wrong.add("it keeps " + config.number("max_msgs_per_subject")
                    + " revisions of a key, so that an older one could come back; keep one: nats stream edit " + stream
                    + " --max-msgs-per-subject=1");
        }
        if (config.text("storage").equals("memory") && !settings.wanted().inMemory()) {
            wrong.add("it is kept in memory, so that a restart of the servers forgets who leads; make one with"
                    + " --storage=file, or accept it by storage=memory");
        }
        boolean isLimited = config.number("max_msgs") > 0 || config.number("max_bytes") > 0;
        if (isLimited && !config.text("discard").equals("new")) {
            wrong.add("when it is full, it forgets the oldest leader; nats stream edit " + stream + " --discard=new");
        }
        if (!config.text("retention").equals("limits")) {
            wrong.add("its retention is '" + Excerpt.line(config.text("retention"), Causes.LINE_MAX)
                    + "', which is no bucket's");
        }
        if (config.flag("no_ack")) {
            wrong.add("it acknowledges nothing (no_ack), so no write could count; create one without");
        }
        if (config.flag("sealed")) {
            wrong.add("it is sealed: nothing can be written");
        }
        if (config.text("persist_mode").equals("async")) {
            wrong.add("it acknowledges before persisting (persist_mode async); create one without");
        }
    }

    private void replicas(Json found, int replicas, List<String> wrong) {
        ServerVersion leader = leader(found);
        if (replicas > 1 && !version.keepsReplicasApart()) {
            wrong.add(noReplicas(replicas, version));
        } else if (replicas > 1 && !leader.keepsReplicasApart()) {
            wrong.add(noReplicas(replicas, leader));
        }
        if (replicas < settings.wanted().replicas()) {
            wrong.add("it has " + replicas + " replicas, and replicas="
                    + settings.wanted().replicas() + " is asked for; nats stream edit " + stream + " --replicas="
                    + settings.wanted().replicas());
        }
    }

    /**
     * The version of the bucket's leader as far as its answer shows; it may differ from ours during an update of the
     * cluster. From 2.11 on, answers state the version; from 2.10 on, the time.
     */
    private ServerVersion leader(Json found) {
        String said = found.object("config").object("metadata").text("_nats.ver");
        if (!said.isEmpty()) {
            return ServerVersion.of(said);
        }
        boolean isOld = found.text("type").endsWith("stream_info_response") && !found.has("ts");
        return isOld ? ServerVersion.of(ServerVersion.OLDEST) : version;
    }

    private void markers(Json found, List<String> wrong) {
        Json config = found.object("config");
        boolean isSafe = version.removesReleasesAlone() && leader(found).removesReleasesAlone();
        if (!isSafe && !config.duration("subject_delete_marker_ttl").isZero()) {
            wrong.add("it has limit markers, and servers of version " + Excerpt.line(version.said(), Causes.LINE_MAX)
                    + " may erase by one a record that they have just confirmed; update the servers to "
                    + ServerVersion.TIMES_TO_LIVE + " or newer, or make a bucket without --marker-ttl");
        }
    }

    private static String noReplicas(int replicas, ServerVersion version) {
        return "it has " + replicas + " replicas, and servers of version "
                + Excerpt.line(version.said(), Causes.LINE_MAX)
                + " let several writers win at once there; update the servers to 2.10.27 or newer, or use one replica";
    }

    private String noTimesToLive() {
        return "servers of version " + version
                + " take a key's own time to live, and may let it live on; update them to "
                + ServerVersion.TIMES_TO_LIVE + " or newer, or use expiring=bucket";
    }

    private void ownTimesToLive(
            boolean hasThem, boolean admitsKeys, Duration ttl, List<String> wrong, List<String> unfit) {
        if (!hasThem) {
            wrong.add(noTimesToLive());
        } else if (!admitsKeys) {
            wrong.add("it does not admit a key's own time to live; " + allow() + ", or use expiring=bucket");
        }
        Duration lease = settings.lease();
        if (lease != null && lease.compareTo(ttl) > 0) {
            unfit.add("its keys live for " + seconds(ttl) + ", and the lease is " + seconds(lease)
                    + "; shorten the lease, or nats stream edit " + stream + " --max-age="
                    + seconds(lease.multipliedBy(2)));
        }
        step(lease == null ? ttl : lease, unfit);
    }

    private String allow() {
        return "nats stream edit " + stream + " --allow-msg-ttl --subject-del-markers-ttl=" + seconds(MARKER_TTL);
    }

    private void bucketsTimeToLive(Duration ttl, List<String> unfit) {
        Duration lease = settings.lease();
        if (lease != null && !lease.equals(ttl)) {
            unfit.add("its keys live for " + seconds(ttl) + ", which is the lease here, and the lease asked for is "
                    + seconds(lease) + "; write lease=" + seconds(ttl) + ", or nats stream edit " + stream
                    + " --max-age=" + seconds(lease)
                    + (version.hasTimesToLive() ? ", or let keys have their own: " + allow() : ""));
        }
        step(ttl, unfit);
    }

    private void step(Duration lifetime, List<String> unfit) {
        Duration step = Bucket.step(lifetime, settings.clockStep());
        if (step.multipliedBy(2).compareTo(lifetime) > 0) {
            unfit.add("clockStep is " + step.toMillis() + "ms, more than half of the lease of " + seconds(lifetime)
                    + "; shorten it, or lengthen the lease");
        }
    }

    private int valueBytes(long ofBucket, List<String> wrong) {
        long limit = server.maxPayload();
        if (ofBucket > 0) {
            limit = Math.min(limit, ofBucket);
        }
        long bytes = Math.min(VALUE_BYTES_MAX, (limit - RECORD_BYTES) / STRETCH);
        if (bytes < VALUE_BYTES_MIN) {
            wrong.add("a record may have " + limit + " bytes at most (max_msg_size, max_payload); admit "
                    + (RECORD_BYTES + STRETCH * VALUE_BYTES_MIN) + " or more");
        }
        return (int) Math.max(VALUE_BYTES_MIN, bytes);
    }

    private static String seconds(Duration d) {
        return d.toMillis() % 1_000 == 0 ? d.toSeconds() + "s" : String.format(Locale.ROOT, "%dms", d.toMillis());
    }

    private StoreSetupException wrong(String why) {
        return new StoreSetupException(settings.name() + ": " + why);
    }
}
