package dev.mandate.etcd;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
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
import org.jspecify.annotations.Nullable;

/**
 * Refuses clusters whose members end live leases early, before any lease is opened: no client can tell such an end from a true one. One member
 * alone never does, for nobody deposes it.
 *
 * <p>Asks the members that the URL names, all at once, each until it has answered once. Those that do not answer soon are not waited for, but
 * asked again before the next lease.
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
     * Takes no more than half of the call's time.
     *
     * @return fails with {@link StoreSetupException} where the cluster must not be used, and never otherwise
     */
    CompletableFuture<Void> pass(CallContext call) {
        List<Endpoints.Member> open = connection.members().stream()
                .filter(member -> !isOff && !passed.contains(member))
                .toList();
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CallContext half = CallContext.within(call.remaining().dividedBy(2));
        CompletableFuture<Integer> voters = connection
                .call(
                        "asking for the members",
                        ClusterGrpc.getMemberListMethod(),
                        MemberListRequest.getDefaultInstance(),
                        half)
                .handle((answer, failure) -> answer == null ? 0 : voters(answer));
        List<CompletableFuture<Optional<String>>> complaints = open.stream()
                .map(member -> connection
                        .call(
                                member,
                                "asking for its version",
                                MaintenanceGrpc.getStatusMethod(),
                                StatusRequest.getDefaultInstance(),
                                half)
                        .handle((answer, failure) -> complaint(member, answer)))
                .toList();
        return CompletableFuture.allOf(complaints.toArray(CompletableFuture[]::new))
                .thenCombine(voters, (all, count) -> {
                    if (count > 1) {
                        refuse(complaints.stream()
                                .flatMap(complaint -> complaint.join().stream())
                                .toList());
                    }
                    return null;
                });
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

    private void refuse(List<String> complaints) {
        if (!complaints.isEmpty()) {
            throw new StoreSetupException(connection.name() + ": " + String.join(", ", complaints) + ": "
                    + EtcdVersion.REVOKES_EARLY + ", and two may lead until the former one hears of that;"
                    + " upgrade the cluster, or add " + EtcdUrl.STALE_LEADER
                    + "=accept to the store URL to live with it");
        }
    }
}
