package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.support.ClusterFindings;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.StoreCalls.Turn;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The doctor's checks for Consul. Sends all requests to the agent at once; findings say which rights are missing. */
final class ConsulDiagnosis {
    private static final String VERSION = "version";
    private static final String CLUSTER = "cluster";
    private static final String RIGHTS = "rights";
    private static final String TESTED = "1.8.7";

    /** A session that does not exist. With the next constant, an index that no key has, a write changes nothing. */
    private static final String NO_SESSION = "00000000-0000-0000-0000-000000000000";

    private static final long NO_INDEX = Long.MAX_VALUE >> 1;

    private final ConsulSettings settings;
    private final ConsulHttp http;
    private final KvReader reader;
    private final Records records;
    private final CallContext call;
    private volatile boolean isAnswered;

    private ConsulDiagnosis(
            ConsulSettings settings, ConsulHttp http, KvReader reader, Records records, CallContext call) {
        this.settings = settings;
        this.http = http;
        this.reader = reader;
        this.records = records;
        this.call = call;
    }

    static CompletionStage<List<Finding>> of(
            ConsulSettings settings,
            ConsulHttp http,
            KvReader reader,
            Records records,
            Duration lease,
            CallContext call) {
        return new ConsulDiagnosis(settings, http, reader, records, call).all(lease);
    }

    private CompletionStage<List<Finding>> all(Duration lease) {
        List<CompletableFuture<? extends Collection<Finding>>> parts = List.of(
                asked("agent/self", VERSION, answer -> agent(answer, lease)),
                asked("status/leader", CLUSTER, this::leader),
                asked("status/peers", CLUSTER, this::peers),
                asked("operator/autopilot/health", CLUSTER, this::health),
                asked("acl/token/self", RIGHTS, this::token),
                onlyKey());
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            List<Finding> findings = new ArrayList<>();
            parts.forEach(part -> findings.addAll(part.join()));
            if (!isAnswered) {
                // All say the same.
                return findings.subList(0, 1);
            }
            findings.add(lockDelay(lease));
            findings.add(ClusterFindings.CLOCK);
            return findings;
        });
    }

    private interface Reading {
        List<Finding> of(Answer answer) throws IOException;
    }

    private CompletableFuture<List<Finding>> asked(String path, String subject, Reading reading) {
        return http.get("asking for " + path, path, "", Turn.ORDINARY, call)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        return List.of(Finding.warning(
                                subject,
                                String.valueOf(Causes.unwrapped(failure).getMessage())));
                    }
                    try {
                        if (answer.isLikeConsuls()) {
                            List<Finding> found = reading.of(answer);
                            isAnswered = true;
                            return found;
                        }
                    } catch (IOException e) {
                        // Not an answer from Consul either.
                    }
                    return List.of(Finding.warning(
                            subject, path + ": unexpected reply, not from Consul: " + answer.excerpt()));
                })
                .toCompletableFuture();
    }

    private List<Finding> agent(Answer answer, Duration lease) throws IOException {
        if (answer.status() == 403) {
            return List.of(Finding.ok(
                    VERSION, "this token may not read it (agent_prefix \"\" { policy = \"read\" } allows it)"));
        }
        if (!answer.isOk()) {
            return List.of(Finding.warning(VERSION, "the agent does not report it: " + answer.text()));
        }
        Map<String, String> told = ConsulJson.scalars(
                answer.body(), Set.of("Version", "Server", "Datacenter", "SessionTTLMin", "ACLDefaultPolicy"));
        String version = told.getOrDefault("Version", "");
        if (version.isEmpty()) {
            throw new MalformedAnswerException("it names no version");
        }
        String agent =
                "Consul " + version + ", " + (told.getOrDefault("Server", "").equals("true") ? "a server" : "a client")
                        + " agent in datacenter " + told.getOrDefault("Datacenter", "unknown");
        List<Finding> findings = new ArrayList<>();
        findings.add(
                version.equals(TESTED)
                        ? Finding.ok(VERSION, agent)
                        : Finding.ok(VERSION, agent + "; Mandate is tested on " + TESTED + " only"));
        String least = told.getOrDefault("SessionTTLMin", "");
        SessionTtls.parsed(least)
                .filter(min -> lease.compareTo(min) < 0)
                .ifPresent(
                        min -> findings.add(
                                Finding.error(
                                        "lease",
                                        "session_ttl_min is " + least + ", more than the lease of " + lease.toMillis()
                                                + " ms: no session can be opened; lengthen the lease, or lower session_ttl_min on the servers")));
        return findings;
    }

    private List<Finding> leader(Answer answer) throws IOException {
        if (answer.isOk() && !answer.text().matches("\"[^\"]*\"")) {
            throw new MalformedAnswerException("it is no address");
        }
        String leader = answer.text().replace("\"", "");
        return List.of(
                !answer.isOk() || leader.isEmpty()
                        ? Finding.error(
                                CLUSTER,
                                "the servers have no leader"
                                        + (answer.isOk() ? "" : " (" + answer.text() + ")")
                                        + ": no majority of them is connected; no leader can be elected until one is")
                        : Finding.ok(CLUSTER, leader + " is the servers' leader"));
    }

    private List<Finding> peers(Answer answer) throws IOException {
        if (!answer.isOk()) {
            // The servers have no leader, which is already reported.
            return List.of();
        }
        return List.of(ClusterFindings.size(ConsulJson.strings(answer.body()).size(), "server"));
    }

    private List<Finding> health(Answer answer) throws IOException {
        // Status 429 reports unhealthy servers. Any other but 200 says nothing, mostly because a right is missing.
        if (answer.status() != 200 && answer.status() != 429) {
            return List.of();
        }
        Map<String, String> told = ConsulJson.scalars(answer.body(), Set.of("Healthy", "FailureTolerance"));
        if (told.isEmpty()) {
            throw new MalformedAnswerException("it has no health");
        }
        return List.of(
                told.getOrDefault("Healthy", "").equals("true")
                        ? Finding.ok(CLUSTER, "all servers are healthy")
                        : Finding.warning(
                                CLUSTER,
                                "not all servers are healthy; " + told.getOrDefault("FailureTolerance", "0")
                                        + " more may fail (consul operator raft list-peers, consul members)"));
    }

    private List<Finding> token(Answer answer) throws IOException {
        boolean hasToken = settings.token() != null;
        if (answer.text().contains("ACL support disabled")) {
            String open = "Consul has no ACLs: anyone who reaches it may write";
            return List.of(
                    hasToken ? Finding.warning(RIGHTS, "a token is given, but " + open) : Finding.ok(RIGHTS, open));
        }
        if (answer.isOk()) {
            String description = ConsulJson.field(answer.body(), "AccessorID");
            if (description.isEmpty()) {
                throw new MalformedAnswerException("it names no token");
            }
            return List.of(Finding.ok(RIGHTS, "Consul checks ACLs; our token has the accessor " + description));
        }
        if (answer.status() >= 500) {
            // The servers have no leader, which is already reported.
            return List.of();
        }
        return List.of(
                hasToken
                        ? Finding.warning(RIGHTS, "Consul does not describe our token: " + answer.text())
                        : Finding.ok(
                                RIGHTS,
                                "Consul checks ACLs; without a token, we have the rights of the anonymous token"));
    }

    private Finding lockDelay(Duration lease) {
        Duration delay = settings.lockDelay();
        String figures = "lock-delay " + delay.toMillis() + " ms, lease " + lease.toMillis() + " ms: ";
        return Finding.ok(
                "lock-delay",
                figures + "after a crash, failover takes twice the lease and the lock-delay; "
                        + (delay.compareTo(lease) < 0
                                ? "if an operator destroys a leader's session, it may believe it leads for longer than"
                                        + " the delay keeps others out"
                                : "it covers a leader whose session an operator destroys"));
    }

    /** Whether the URL's one key could be written, by a transaction whose condition is never true. */
    private CompletableFuture<List<Finding>> onlyKey() {
        if (settings.keys().admitsMany()) {
            return CompletableFuture.completedFuture(List.of());
        }
        RecordKey key = RecordKey.PROBE;
        LeaderRecord nobody = LeaderRecord.proposal("nobody", Id.NONE, Id.NONE, "", Duration.ofSeconds(1), 0);
        Txn txn = records.write(key, NO_INDEX, NO_SESSION, nobody);
        return reader.send("trying whether the key could be written", txn, call)
                .handle((reply, failure) -> List.of(
                        ClusterFindings.onlyKey(settings.keys(), failure, rightFor(settings, Verb.ACQUIRE, key))))
                .toCompletableFuture();
    }

    /** The rule to add to an ACL policy. */
    static Optional<String> rightFor(ConsulSettings settings, Verb verb, RecordKey key) {
        KeyTemplate keys = settings.keys();
        return switch (verb) {
            case SESSION ->
                Optional.of(
                        settings.node().isEmpty()
                                ? "session_prefix \"\" { policy = \"write\" }, or session \"NODE\" of the agent's node"
                                : "session \"" + settings.node() + "\" { policy = \"write\" }");
            case LIST, WATCH ->
                Optional.of("key_prefix \"" + keys.start(RecordKey.elections()) + "\" { policy = \"read\" }");
            case READ -> Optional.of("key \"" + keys.path(key) + "\" { policy = \"read\" }");
            case ACQUIRE, UPDATE, RELEASE, ERASE ->
                Optional.of(
                        settings.isRaw()
                                ? "key_prefix \"" + keys.path(key) + "\" { policy = \"write\" }"
                                : "key \"" + keys.path(key) + "\" { policy = \"write\" }");
        };
    }
}
