package dev.mandate.etcd;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.support.ClusterFindings;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.StoreAuthority.Host;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The doctor's checks for etcd. Asks every member in the URL over a separate connection, all at once, so that a hanging
 * member hides no other. Questions about the whole cluster use the store's connection.
 */
final class EtcdDiagnosis {
    private static final String ENCRYPTION = "encryption";
    private static final String RIGHTS = "rights";

    private final EtcdSettings settings;
    private final EtcdConnection connection;
    private final Layout layout;
    private final CallContext call;

    private EtcdDiagnosis(EtcdSettings settings, EtcdConnection connection, Layout layout, CallContext call) {
        this.settings = settings;
        this.connection = connection;
        this.layout = layout;
        this.call = call;
    }

    static CompletableFuture<List<Finding>> of(
            EtcdSettings settings, EtcdConnection connection, Layout layout, CallContext call) {
        EtcdDiagnosis diagnosis = new EtcdDiagnosis(settings, connection, layout, call);
        CompletableFuture<List<Finding>> members = diagnosis.members();
        return members.thenCombine(diagnosis.users(), EtcdDiagnosis::joined)
                .thenCombine(diagnosis.onlyKey(), EtcdDiagnosis::joined)
                .thenApply(findings -> joined(findings, secrets(settings)));
    }

    private static List<Finding> joined(List<Finding> first, Optional<Finding> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    static Optional<Finding> secrets(EtcdSettings settings) {
        if (settings.isEncrypted()) {
            return Optional.of(Finding.ok(ENCRYPTION, "connections are encrypted"));
        }
        boolean leavesMachine = settings.hosts().stream().anyMatch(host -> !isHere(host.name()));
        if (!leavesMachine) {
            return Optional.empty();
        }
        return Optional.of(
                settings.user().isEmpty()
                        ? Finding.warning(
                                ENCRYPTION, "connections to other machines are not encrypted; see etcds: and caFile")
                        : Finding.error(
                                ENCRYPTION,
                                "the password of '" + settings.user()
                                        + "' goes to other machines as plain text; give the servers certificates and"
                                        + " write etcds: instead of etcd:"));
    }

    private static boolean isHere(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    private CompletableFuture<List<Finding>> members() {
        // A hanging member must leave time for the later questions.
        Duration share = call.remaining().multipliedBy(3).dividedBy(5);
        List<CompletableFuture<EtcdMember>> asked = new ArrayList<>();
        for (Host host : settings.hosts()) {
            asked.add(status(host, CallContext.within(share)));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenCompose(all -> {
            List<EtcdMember> members =
                    asked.stream().map(CompletableFuture::join).toList();
            return known().thenApply(known -> EtcdMember.findings(members, known));
        });
    }

    private CompletableFuture<EtcdMember> status(Host host, CallContext mine) {
        EtcdConnection alone = new EtcdConnection(settings.only(host));
        return alone.call(
                        "asking for its status",
                        MaintenanceGrpc.getStatusMethod(),
                        StatusRequest.getDefaultInstance(),
                        mine)
                // Waiting for a token has its own timeout.
                .orTimeout(mine.remainingMillis() + 100, TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> {
                    // On another thread: close() waits, perhaps for this very thread.
                    CompletableFuture<Void> unused = CompletableFuture.runAsync(alone::close);
                    return failure == null
                            ? EtcdMember.answered(host, answer)
                            : EtcdMember.silent(host, sentence(failure));
                });
    }

    /** The cluster's members, as reported by the member that answers; empty if none does. */
    private CompletableFuture<List<Member>> known() {
        return connection
                .call(
                        "asking for the members",
                        ClusterGrpc.getMemberListMethod(),
                        MemberListRequest.getDefaultInstance(),
                        call)
                .orTimeout(call.remainingMillis() + 1, TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> failure == null ? answer.getMembersList() : List.<Member>of());
    }

    /** Whether authentication is off. An empty login is enough to ask: a server without users says so first. */
    private CompletableFuture<Optional<Finding>> users() {
        return connection
                .send(
                        connection.current(),
                        AuthGrpc.getAuthenticateMethod(),
                        AuthenticateRequest.getDefaultInstance(),
                        null,
                        call)
                .handle((answer, failure) -> {
                    boolean isOff = failure != null
                            && Fault.says(
                                    Status.fromThrowable(Causes.unwrapped(failure)), "authentication is not enabled");
                    if (!isOff) {
                        return Optional.empty();
                    }
                    return Optional.of(
                            settings.user().isEmpty()
                                    ? Finding.ok(RIGHTS, "the servers have no users: anyone who reaches them may write")
                                    : Finding.warning(
                                            RIGHTS,
                                            "the URL names the user '" + settings.user()
                                                    + "', but the servers have no users: anyone who reaches them may write;"
                                                    + " etcdctl auth enable"));
                });
    }

    /** Whether the URL's one key could be written, by a transaction whose condition is never true. */
    private CompletableFuture<Optional<Finding>> onlyKey() {
        if (settings.keys().admitsMany()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        RecordKey key = RecordKey.PROBE;
        LeaderRecord nobody = LeaderRecord.proposal("nobody", Id.NONE, Id.NONE, "", Duration.ofSeconds(1), 0);
        TxnRequest writing = layout.acquire(key, nobody, 0);
        Compare never = writing.getCompare(0).toBuilder().setVersion(-1).build();
        TxnRequest request = writing.toBuilder().setCompare(0, never).build();
        return connection
                .call("trying whether the key could be written", KVGrpc.getTxnMethod(), request, call)
                .orTimeout(call.remainingMillis() + 1, TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> Optional.of(ClusterFindings.onlyKey(
                        settings.keys(),
                        failure == null ? null : new StoreUnavailableException(sentence(failure)),
                        rightFor(layout, Verb.ACQUIRE, key))));
    }

    private static String sentence(Throwable failure) {
        Throwable cause = Causes.unwrapped(failure);
        return cause instanceof TimeoutException ? "no answer in time" : String.valueOf(cause.getMessage());
    }

    /** The permission to grant, as an argument of {@code etcdctl role grant-permission}. */
    static Optional<String> rightFor(Layout layout, Verb verb, RecordKey key) {
        KeyTemplate keys = layout.keys();
        return switch (verb) {
            case SESSION -> Optional.empty();
            case LIST, WATCH ->
                Optional.of(
                        keys.admitsMany()
                                ? "permission read --prefix " + keys.start(key)
                                : "permission read " + oneKey(layout));
            case READ, ERASE, ACQUIRE, UPDATE, RELEASE -> {
                String kind = verb == Verb.READ || verb == Verb.ERASE ? "read " : "readwrite ";
                String path = keys.admitsMany() ? keys.path(key) : oneKey(layout);
                String both = layout.isRaw() && keys.admitsMany() ? path + " and " + keys.beside(key) : path;
                yield Optional.of("permission " + kind + both);
            }
        };
    }

    /** The key; in raw format, the range of both keys. */
    private static String oneKey(Layout layout) {
        String key = layout.keys().toString();
        return layout.isRaw() ? "'" + key + "' '" + key + "#mandatf'" : key;
    }
}
