package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.Finding;
import dev.mandate.support.StoreAuthority.Host;
import io.nats.client.Connection;
import io.nats.client.api.ServerInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The doctor's checks for NATS: all servers at once, over separate connections, and the bucket through its leader. */
final class NatsDiagnosis {
    private static final Duration AGGRESSIVE = Duration.ofSeconds(3);
    /** Leaders send something every second. */
    private static final Duration SILENT = Duration.ofSeconds(3);

    private static final Duration CLOCK_APART = Duration.ofMillis(500);

    private final Link link;
    private final Wire wire;
    private final Duration lease;
    private final CallContext call;

    NatsDiagnosis(Link link, Wire wire, Duration lease, CallContext call) {
        this.link = link;
        this.wire = wire;
        this.lease = lease;
        this.call = call;
    }

    CompletableFuture<List<Finding>> all() {
        Duration share = call.remaining().multipliedBy(4).dividedBy(5);
        List<CompletableFuture<Answer>> servers = new ArrayList<>();
        for (Host host : link.settings().hosts()) {
            servers.add(server(host, share));
        }
        CompletableFuture<List<Finding>> bucket = bucket(CallContext.within(share));
        return CompletableFuture.allOf(servers.toArray(CompletableFuture[]::new))
                .thenCombine(bucket, (done, rest) -> {
                    List<Finding> found = new ArrayList<>();
                    servers.forEach(server -> found.add(server.join().version()));
                    found.addAll(OneBucket.findings(
                            link.settings().bucket(),
                            servers.stream()
                                    .map(server -> server.join().shown())
                                    .toList()));
                    found.addAll(rest);
                    return found;
                });
    }

    // ---- the servers ----

    /** What one server reports about itself and about the bucket. */
    private record Answer(Finding version, OneBucket.Shown shown) {}

    private static Answer silent(Host host, String sentence) {
        return new Answer(Finding.error("version", sentence), OneBucket.Shown.unknown(host));
    }

    private CompletableFuture<Answer> server(Host host, Duration share) {
        try {
            return CompletableFuture.supplyAsync(
                            () -> asked(host), link.threads().pool())
                    .completeOnTimeout(
                            silent(host, host + " does not answer in time; check it"),
                            share.toNanos(),
                            TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(silent(host, host + ": the store is closed"));
        }
    }

    private Answer asked(Host host) {
        Dialer dialer = new Dialer(link.settings().only(host), link.threads(), connection -> {});
        @Nullable Connection connection = null;
        try {
            connection = dialer.connect();
            Finding version = version(host, connection.getServerInfo());
            return new Answer(version, shown(host, dialer.server(connection)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return silent(host, host + ": the store is closed");
        } catch (RuntimeException e) {
            return silent(host, Excerpt.line(String.valueOf(e.getMessage()), Causes.LINE_MAX));
        } finally {
            dialer.end(connection);
        }
    }

    private OneBucket.Shown shown(Host host, BucketCheck.Server server) {
        try {
            return OneBucket.Shown.of(host, server.ask("looking at the bucket", "STREAM.INFO." + stream(), ""));
        } catch (ElectionException e) {
            // The checks of the bucket report what is wrong with it.
            return OneBucket.Shown.unknown(host);
        }
    }

    private static Finding version(Host host, ServerInfo info) {
        ServerVersion version = ServerVersion.of(info.getVersion());
        String start = host + " is nats-server " + Excerpt.line(version.said(), Causes.LINE_MAX);
        if (!version.isKnown()) {
            return Finding.error("version", start + "; " + ServerVersion.OLDEST + " or newer is needed");
        }
        if (!version.keepsReplicasApart()) {
            return Finding.warning(
                    "version",
                    start + ": its replicas let several writers win at once, so one is all that is admitted; update to"
                            + " 2.10.27 or newer");
        }
        if (!version.hasTimesToLive()) {
            return Finding.ok(
                    "version",
                    start + ": the bucket's time to live is the lease; keys have their own from "
                            + ServerVersion.TIMES_TO_LIVE);
        }
        return Finding.ok("version", start);
    }

    // ---- the bucket ----

    private CompletableFuture<List<Finding>> bucket(CallContext mine) {
        long sent = System.currentTimeMillis();
        return wire.info("looking at the bucket", mine)
                .orTimeout(mine.remainingMillis() + 1, TimeUnit.MILLISECONDS)
                .handle((info, failure) -> {
                    Link.@Nullable Session session = link.session();
                    if (failure != null || session == null) {
                        String why = failure == null
                                ? "there is no connection"
                                : Causes.unwrapped(failure).getMessage();
                        return List.of(Finding.error("cluster", Excerpt.line(String.valueOf(why), Causes.LINE_MAX)));
                    }
                    List<Finding> found = new ArrayList<>();
                    cluster(info, session.bucket(), found);
                    clock(info.text("ts"), sent, System.currentTimeMillis(), found);
                    if (session.unfit() != null) {
                        found.add(Finding.error(
                                "lease",
                                "no candidate can acquire leadership: "
                                        + Excerpt.line(
                                                String.valueOf(session.unfit().getMessage()), Causes.LINE_MAX)));
                    }
                    lease(session.bucket(), found);
                    durability(session.bucket(), found);
                    return found;
                });
    }

    private void cluster(Json info, Bucket bucket, List<Finding> found) {
        Json cluster = info.object("cluster");
        if (bucket.replicas() == 1) {
            String todo = bucket.isClustered()
                    ? "; keep it on three: nats stream edit " + stream() + " --replicas=3"
                    : "; a cluster of three would go on without one";
            found.add(Finding.warning(
                    "cluster", "one server keeps the bucket; while it is down, nobody can lead" + todo));
            return;
        }
        if (cluster.text("leader").isEmpty()) {
            found.add(Finding.error("cluster", "the bucket has no leader: most of its servers do not answer"));
        }
        List<Json> away = cluster.list("replicas").stream()
                .filter(replica -> replica.flag("offline") || !replica.flag("current"))
                .toList();
        for (Json replica : away) {
            found.add(Finding.warning(
                    "cluster",
                    "the replica on " + Excerpt.line(replica.text("name"), Causes.LINE_MAX) + state(replica)
                            + "; check it"));
        }
        if (away.isEmpty()) {
            found.add(Finding.ok(
                    "cluster",
                    bucket.replicas() + " servers keep the bucket, led by "
                            + Excerpt.line(cluster.text("leader"), Causes.LINE_MAX) + "; all are up to date"));
        }
        if (bucket.replicas() % 2 == 0) {
            found.add(Finding.warning(
                    "cluster",
                    bucket.replicas()
                            + " replicas bear the loss of no more servers than one fewer; take an odd number"));
        }
    }

    /** A killed replica counts as offline only after minutes, and only a leader that heard from it knows since when. */
    private static String state(Json replica) {
        if (replica.flag("offline")) {
            return " is away";
        }
        Duration silent = replica.duration("active");
        return silent.compareTo(SILENT) < 0
                ? " is away or lags behind"
                : " was last heard of " + silent.toSeconds() + " s ago";
    }

    private static void clock(String said, long sent, long answered, List<Finding> found) {
        long millis = BucketCheck.instant(said).toEpochMilli();
        if (millis == 0) {
            // Before 2.10, servers do not report their time.
            return;
        }
        long apart = millis < sent ? millis - sent : Math.max(0, millis - answered);
        found.add(
                Math.abs(apart) <= CLOCK_APART.toMillis()
                        ? Finding.ok("clock", "the server's clock is within " + CLOCK_APART.toMillis() + " ms of ours")
                        : Finding.warning(
                                "clock",
                                "the server's clock is " + Math.abs(apart) + " ms "
                                        + (apart < 0 ? "behind" : "ahead of")
                                        + " ours. Leases end by the servers' clocks: if theirs differ among themselves"
                                        + " by more than clockStep, or are about to be set, a lease ends too early;"
                                        + " keep them by NTP"));
    }

    private void lease(Bucket bucket, List<Finding> found) {
        if (bucket.expiring() == Expiring.BUCKET) {
            found.add(Finding.ok(
                    "lease",
                    "the bucket's time to live, " + bucket.ttl().toMillis()
                            + " ms, is the lease; servers don't report its" + " end, so timers check"));
        } else if (!bucket.tellsOfExpiry()) {
            found.add(Finding.warning(
                    "lease",
                    "servers don't report the end of a lease, because the bucket has no limit markers; timers check"
                            + " instead; nats stream edit " + stream() + " --subject-del-markers-ttl=1m"));
        } else {
            found.add(Finding.ok(
                    "lease",
                    "each key has its own time to live, and servers report its end; keys without one live for "
                            + bucket.ttl().toSeconds() + " s"));
        }
        if (lease.compareTo(AGGRESSIVE) < 0) {
            found.add(Finding.warning(
                    "lease",
                    "a lease of " + lease.toMillis() + " ms leaves " + lease.toMillis() / 15
                            + " ms for an answer; a pause of a server ends terms: take " + AGGRESSIVE.toSeconds()
                            + " s or more"));
        }
    }

    private void durability(Bucket bucket, List<Finding> found) {
        if (bucket.inMemory()) {
            found.add(Finding.warning(
                    "durability", "the bucket is kept in memory: a restart of its servers forgets who leads"));
        }
        String caveat =
                "servers acknowledge before they sync to disk, by default for up to two minutes, and don't report"
                        + " the setting; sync_interval: always in their configuration avoids that";
        found.add(
                bucket.replicas() == 1
                        ? Finding.warning("durability", "a power failure may forget who leads: " + caveat)
                        : Finding.ok("durability", "a power failure of most servers may forget who leads: " + caveat));
    }

    private String stream() {
        return Subjects.stream(link.settings().bucket());
    }
}
