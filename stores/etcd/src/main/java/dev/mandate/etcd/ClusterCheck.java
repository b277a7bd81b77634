package dev.mandate.etcd;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.MemberListResponse;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Before a lease is opened, rejects clusters whose members may end live leases early, because no client can tell such
 * an end from a real one. A single member never does that: no other deposes it.
 *
 * <p>Asks all members in the URL at once, each until it has answered once. It does not wait long for an answer, but
 * asks again before the next lease. No lease is opened at a member that never answered.
 */
final class ClusterCheck {
    private final EtcdConnection connection;
    private final boolean isOff;

    /** Members that reported a version without the bug. */
    private final Set<Endpoints.Member> passed = ConcurrentHashMap.newKeySet();

    ClusterCheck(EtcdConnection connection, boolean isOff) {
        this.connection = connection;
        this.isOff = isOff;
    }

    /**
     * A member's answer.
     *
     * @param complaint its version, if that ends live leases; else, or without an answer, empty
     * @param voters how many voting members it knows, if there is a complaint; 0 if not known
     */
    private record Answer(Endpoints.Member member, boolean isSilent, Optional<String> complaint, int voters) {}

    /**
     * Checks the cluster; takes at most half of the call's time.
     *
     * @return a member at which a lease may be opened now; fails with {@link StoreSetupException} if the cluster must
     *     not be used, and with {@link StoreUnavailableException} if that is not known
     */
    CompletableFuture<Endpoints.Member> pass(CallContext call) {
        CallContext half = CallContext.within(call.remaining().dividedBy(2));
        List<CompletableFuture<Answer>> answers = connection.members().stream()
                .filter(member -> !isOff && !passed.contains(member))
                .map(member -> ask(member, half))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        judged(answers.stream().map(CompletableFuture::join).toList()));
    }

    private CompletableFuture<Answer> ask(Endpoints.Member member, CallContext call) {
        return connection
                .call(
                        member,
                        "asking for its version",
                        MaintenanceGrpc.getStatusMethod(),
                        StatusRequest.getDefaultInstance(),
                        call)
                .handle((status, failure) -> {
                    Optional<String> complaint = complaint(member, status);
                    return complaint.isEmpty()
                            ? CompletableFuture.completedFuture(
                                    new Answer(member, status == null && !isAnswer(failure), complaint, 0))
                            // Asks this member, which answers; the current one may not.
                            : voters(member, call).thenApply(count -> new Answer(member, false, complaint, count));
                })
                .thenCompose(answer -> answer);
    }

    /** A member that refuses this request is alive. */
    private static boolean isAnswer(@Nullable Throwable failure) {
        return failure != null && Causes.unwrapped(failure) instanceof StoreSetupException;
    }

    private CompletableFuture<Integer> voters(Endpoints.Member member, CallContext call) {
        return connection
                .call(
                        member,
                        "asking for the members",
                        ClusterGrpc.getMemberListMethod(),
                        MemberListRequest.getDefaultInstance(),
                        call)
                .handle((answer, failure) -> answer != null
                        ? voters(answer)
                        : isAnswer(failure) ? connection.members().size() : 0);
    }

    private static int voters(MemberListResponse answer) {
        return (int) answer.getMembersList().stream()
                .filter(member -> !member.getIsLearner())
                .count();
    }

    private Optional<String> complaint(Endpoints.Member member, @Nullable StatusResponse status) {
        Optional<EtcdVersion> version =
                Optional.ofNullable(status).flatMap(said -> EtcdVersion.parse(said.getVersion()));
        if (version.isPresent() && !version.get().revokesEarly()) {
            passed.add(member);
        }
        return version.filter(EtcdVersion::revokesEarly).map(said -> "etcd " + said + " at " + member.host);
    }

    private Endpoints.Member judged(List<Answer> answers) {
        List<Answer> complaints = answers.stream()
                .filter(answer -> answer.complaint().isPresent())
                .toList();
        String versions = complaints.stream()
                .flatMap(answer -> answer.complaint().stream())
                .collect(Collectors.joining(", "));
        if (complaints.stream().anyMatch(answer -> answer.voters() > 1)) {
            throw new StoreSetupException(connection.name() + ": " + versions + ": " + EtcdVersion.REVOKES_EARLY
                    + ", and two may lead until the former one hears of that; upgrade the cluster, or add "
                    + EtcdUrl.STALE_LEADER + "=accept to the store URL to live with it");
        }
        if (complaints.stream().anyMatch(answer -> answer.voters() == 0)) {
            throw new StoreUnavailableException(connection.name() + ": " + versions
                    + ", which ends live leases in a cluster, and it did not say in time whether it is in one");
        }
        Set<Endpoints.Member> silent =
                answers.stream().filter(Answer::isSilent).map(Answer::member).collect(Collectors.toSet());
        Endpoints.Member current = connection.current();
        return silent.contains(current)
                ? connection.members().stream()
                        .filter(member -> !silent.contains(member))
                        .findFirst()
                        .orElseThrow(() -> new StoreUnavailableException(
                                connection.name() + ": no member said its version in time"))
                : current;
    }
}
