package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import io.nats.client.api.ServerInfo;
import io.nats.client.support.JsonValueUtils;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Examines a bucket before use, and creates a missing one. Reports all faults at once, with remedies. Blocks. */
final class BucketCheck {
    private static final Duration TTL = Duration.ofMinutes(10);
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
    private final Function<String, @Nullable String> whyNotMade;

    /** What makes the bucket unusable, and what makes its time to live unfit for the lease. */
    private final List<String> wrong = new ArrayList<>();

    private final List<String> unfit = new ArrayList<>();

    /** The server to ask. */
    interface Server {
        /** What it says about itself. */
        ServerInfo serverInfo();

        /** The name of its cluster; empty for none. */
        default String cluster() {
            String name = serverInfo().getCluster();
            return name == null ? "" : name;
        }

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

    /**
     * A check to be made once.
     *
     * @param revision the newest one known: a created bucket starts above it
     * @param whyNotMade called with the command that creates a missing bucket; returns why it is not created, and what
     *     to do, or null to create it
     */
    BucketCheck(NatsSettings settings, Server server, long revision, Function<String, @Nullable String> whyNotMade) {
        this.settings = settings;
        this.whyNotMade = whyNotMade;
        this.server = server;
        this.revision = revision;
        this.version = ServerVersion.of(server.serverInfo().getVersion());
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
            throw wrong("the server says version '" + Excerpt.line(version.said(), Causes.LINE_MAX) + "'; "
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
        if (!server.serverInfo().isJetStreamAvailable()) {
            throw wrong("the server has no JetStream; start it with -js, or enable it in its configuration");
        }
        throw new StoreUnavailableException(
                settings.name() + ": " + what + ": JetStream has no leader, or is starting");
    }

    // ---- made ----

    private Json made() {
        WantedBucket wanted = settings.wanted();
        @Nullable
        String why = whyNotMade.apply(
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
        Duration lease = Pace.lease(settings.lease());
        if (expiring == Expiring.BUCKET) {
            return lease;
        }
        Duration longer = lease.multipliedBy(2);
        return longer.compareTo(TTL) > 0 ? longer : TTL;
    }

    private String configuration() {
        Duration ttl = ttl(expiring());
        JsonValueUtils.MapBuilder config = JsonValueUtils.mapBuilder()
                .put("name", stream)
                .put(
                        "subjects",
                        JsonValueUtils.arrayBuilder()
                                .add(Subjects.all(settings.bucket()))
                                .toJsonValue())
                .put("description", "Leaders elected by Mandate")
                .put("retention", "limits")
                .put("storage", settings.wanted().inMemory() ? "memory" : "file")
                .put("num_replicas", Math.max(1, settings.wanted().replicas()))
                .put("max_msgs_per_subject", 1)
                .put("max_age", ttl.toNanos())
                .put("duplicate_window", Math.min(ttl.toNanos(), DUPLICATES_MAX.toNanos()))
                .put("discard", "new");
        for (String unlimited : List.of("max_msgs", "max_bytes", "max_msg_size", "max_consumers")) {
            config.put(unlimited, -1);
        }
        for (String flag : List.of("allow_rollup_hdrs", "allow_direct", "deny_delete")) {
            config.put(flag, true);
        }
        if (expiring() == Expiring.KEY) {
            config.put("allow_msg_ttl", true).put("subject_delete_marker_ttl", MARKER_TTL.toNanos());
        }
        if (version.choosesFirstRevision()) {
            // Revisions are fencing tokens, so those of a bucket that replaces a deleted one must be larger.
            config.put("first_seq", firstRevision(revision));
        }
        return config.toJson();
    }

    /** The time in microseconds, which outpaces writes; at least {@code seen} + 1, if an earlier clock was ahead. */
    static long firstRevision(long seen) {
        Instant now = Instant.now();
        return Math.max(seen + 1, now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000);
    }

    // ---- examined ----

    private void wrongIf(boolean isWrong, String why) {
        if (isWrong) {
            wrong.add(why);
        }
    }

    private Found examined(Json found) {
        Json config = found.object("config");
        ServerVersion leader = leader(found);
        Duration ttl = config.duration("max_age");
        Duration markerTtl = config.duration("subject_delete_marker_ttl");
        boolean hasTimesToLive = version.hasTimesToLive() && leader.hasTimesToLive();
        boolean admitsKeys = config.flag("allow_msg_ttl") && hasTimesToLive;
        Expiring wanted = settings.wanted().expiring();
        Expiring expiring = wanted != null ? wanted : admitsKeys ? Expiring.KEY : Expiring.BUCKET;
        form(config);
        replicas((int) config.number("num_replicas"), leader);
        if (ttl.isZero()) {
            wrong.add("its keys live for ever; give it a time to live: nats stream edit " + stream + " --max-age="
                    + seconds(ttl(expiring)));
        } else if (expiring == Expiring.KEY) {
            ownTimesToLive(hasTimesToLive, admitsKeys, ttl);
        } else {
            bucketsTimeToLive(ttl);
        }
        wrongIf(
                !markerTtl.isZero() && !(version.removesReleasesAlone() && leader.removesReleasesAlone()),
                "it has limit markers, and servers of version " + Excerpt.line(version.said(), Causes.LINE_MAX)
                        + " may erase by one a record that they have just confirmed; update the servers to "
                        + ServerVersion.TIMES_TO_LIVE + " or newer, or make a bucket without --marker-ttl");
        int valueBytes = valueBytes(config.number("max_msg_size"));
        if (!wrong.isEmpty()) {
            wrong.addAll(unfit);
            throw wrong(String.join("; and ", wrong));
        }
        Bucket bucket = new Bucket(
                version,
                !server.cluster().isEmpty(),
                expiring,
                ttl,
                admitsKeys ? markerTtl : Duration.ZERO,
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

    private void form(Json config) {
        wrongIf(config.has("mirror") || config.size("sources") > 0, "it is a mirror or has sources; use the original");
        wrongIf(
                config.number("max_msgs_per_subject") != 1,
                "it keeps " + config.number("max_msgs_per_subject")
                        + " revisions of a key, so that an older one could come back; keep one: nats stream edit "
                        + stream + " --max-msgs-per-subject=1");
        wrongIf(
                config.text("storage").equals("memory") && !settings.wanted().inMemory(),
                "it is kept in memory, so that a restart of the servers forgets who leads; make one with"
                        + " --storage=file, or accept it by storage=memory");
        wrongIf(
                (config.number("max_msgs") > 0 || config.number("max_bytes") > 0)
                        && !config.text("discard").equals("new"),
                "when it is full, it forgets the oldest leader; nats stream edit " + stream + " --discard=new");
        wrongIf(
                !config.text("retention").equals("limits"),
                "its retention is '" + Excerpt.line(config.text("retention"), Causes.LINE_MAX)
                        + "', which is no bucket's");
        wrongIf(config.flag("no_ack"), "it acknowledges nothing (no_ack), so no write could count; create one without");
        wrongIf(config.flag("sealed"), "it is sealed: nothing can be written");
        wrongIf(
                config.text("persist_mode").equals("async"),
                "it acknowledges before persisting (persist_mode async); create one without");
    }

    private void replicas(int replicas, ServerVersion leader) {
        ServerVersion unsafe = version.keepsReplicasApart() ? leader : version;
        wrongIf(replicas > 1 && !unsafe.keepsReplicasApart(), noReplicas(replicas, unsafe));
        int asked = settings.wanted().replicas();
        wrongIf(
                replicas < asked,
                "it has " + replicas + " replicas, and replicas=" + asked + " is asked for; nats stream edit " + stream
                        + " --replicas=" + asked);
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

    private void ownTimesToLive(boolean hasThem, boolean admitsKeys, Duration ttl) {
        wrongIf(!hasThem, noTimesToLive());
        wrongIf(
                hasThem && !admitsKeys,
                "it does not admit a key's own time to live; " + allow() + ", or use expiring=bucket");
        Duration lease = settings.lease();
        if (lease != null && lease.compareTo(ttl) > 0) {
            unfit.add("its keys live for " + seconds(ttl) + ", and the lease is " + seconds(lease)
                    + "; shorten the lease, or nats stream edit " + stream + " --max-age="
                    + seconds(lease.multipliedBy(2)));
        }
        step(lease == null ? ttl : lease);
    }

    private String allow() {
        return "nats stream edit " + stream + " --allow-msg-ttl --subject-del-markers-ttl=" + seconds(MARKER_TTL);
    }

    private void bucketsTimeToLive(Duration ttl) {
        Duration lease = settings.lease();
        if (lease != null && !lease.equals(ttl)) {
            unfit.add("its keys live for " + seconds(ttl) + ", which is the lease here, and the lease asked for is "
                    + seconds(lease) + "; write lease=" + seconds(ttl) + ", or nats stream edit " + stream
                    + " --max-age=" + seconds(lease)
                    + (version.hasTimesToLive() ? ", or let keys have their own: " + allow() : ""));
        }
        step(ttl);
    }

    private void step(Duration lifetime) {
        Duration step = Bucket.step(lifetime, settings.clockStep());
        if (step.multipliedBy(2).compareTo(lifetime) > 0) {
            unfit.add("clockStep is " + step.toMillis() + "ms, more than half of the lease of " + seconds(lifetime)
                    + "; shorten it, or lengthen the lease");
        }
    }

    private int valueBytes(long ofBucket) {
        long ofServer = server.serverInfo().getMaxPayload();
        long limit = ofBucket > 0 ? Math.min(ofServer, ofBucket) : ofServer;
        long bytes = Math.min(VALUE_BYTES_MAX, (limit - RECORD_BYTES) / STRETCH);
        wrongIf(
                bytes < VALUE_BYTES_MIN,
                "a record may have " + limit + " bytes at most (max_msg_size, max_payload); admit "
                        + (RECORD_BYTES + STRETCH * VALUE_BYTES_MIN) + " or more");
        return (int) Math.max(VALUE_BYTES_MIN, bytes);
    }

    private static String seconds(Duration d) {
        return d.toMillis() % 1_000 == 0 ? d.toSeconds() + "s" : String.format(Locale.ROOT, "%dms", d.toMillis());
    }

    private StoreSetupException wrong(String why) {
        return new StoreSetupException(settings.name() + ": " + why);
    }
}
