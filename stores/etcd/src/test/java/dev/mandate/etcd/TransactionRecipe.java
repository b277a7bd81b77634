package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.Optional;

/**
 * What a C# service does by a well-known recipe: it registers itself under a lease that heartbeats keep alive, and asks
 * with one transaction, as often as it likes, whether it leads.
 */
final class TransactionRecipe implements AutoCloseable {
    private final Operator etcd;
    private final String instanceId;
    private final ByteString key;
    private final RecipeLease lease;

    TransactionRecipe(int port, String service, String instanceId, long leaseSeconds) {
        this.etcd = new Operator(port);
        this.instanceId = instanceId;
        this.key = ByteString.copyFromUtf8("/leaders/" + service);
        this.lease = new RecipeLease(etcd, leaseSeconds);
        etcd.put("/services/" + service + "/" + instanceId, instanceId, lease.id());
    }

    /** If the version of the key is 0, it puts itself there; else it looks who is there. */
    boolean isLeader() {
        Compare isVacant = Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.VERSION)
                .setResult(Compare.CompareResult.EQUAL)
                .setVersion(0)
                .build();
        TxnResponse answer = etcd.kv()
                .txn(TxnRequest.newBuilder()
                        .addCompare(isVacant)
                        .addSuccess(RequestOp.newBuilder()
                                .setRequestPut(PutRequest.newBuilder()
                                        .setKey(key)
                                        .setValue(ByteString.copyFromUtf8(instanceId))
                                        .setLease(lease.id())))
                        .addFailure(RequestOp.newBuilder()
                                .setRequestRange(RangeRequest.newBuilder().setKey(key)))
                        .build());
        if (answer.getSucceeded()) {
            return true;
        }
        Optional<String> elected = answer.getResponses(0).getResponseRange().getKvsList().stream()
                .map(kv -> kv.getValue().toStringUtf8())
                .findFirst();
        return elected.filter(instanceId::equalsIgnoreCase).isPresent();
    }

    /** Its process dies: no more heartbeats, and nothing is given back. */
    void die() {
        lease.close();
    }

    @Override
    public void close() {
        die();
        etcd.close();
    }
}
