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
 * Refuses clusters whose members end live leases early, before any lease is opened: no client can tell such an end from a true one. One member
 * alone never does, for nobody deposes it.
 *
 * <p>Asks the members that the URL names, all at once, each until it has answered once. Those that do not answer soon are not waited for, but
 * asked again before the next lease; and no lease is opened at a member that never answered.
 */
final class ClusterCheck {
    private final EtcdConnection connection;
    private final boolean isOff;

    /** Those that said a version which does not. */
    private final Set<Endpoints.Member> passed = ConcurrentHashMap.newKeySet();

    ClusterCheck(EtcdConnection connection, boolean isOff) {
        this.connection = connection;
        this.isOff = isOff;
    }

    /**
     * What a member said.
     *
     * @param complaint which version it has, if that ends live leases; empty also if it said nothing
     * @param voters how many members it knows, where there is a complaint; 0 if it did not say
     */
    private record Answer(Endpoints.Member member, boolean isSilent, Optional<String> complaint, int voters) {}

    /**
     * Takes no more than half of the call's time.
     *
     * @return where a lease may be opened now; fails with {@link StoreSetupException} where the cluster must not be used, and with
     *     {@link StoreUnavailableException} where that is not known
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
                            // It answers, which the member of the moment may not.
                            : voters(member, call).thenApply(count -> new Answer(member, false, complaint, count));
                })
                .thenCompose(answer -> answer);
    }

    /** Whoever refuses the question answers others. */
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
