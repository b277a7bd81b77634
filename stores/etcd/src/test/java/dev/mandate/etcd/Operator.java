package dev.mandate.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Somebody with {@code etcdctl} at hand. Blocks. */
final class Operator implements AutoCloseable {
    final ManagedChannel channel;

    Operator(int port) {
        this.channel = Grpc.newChannelBuilderForAddress("127.0.0.1", port, InsecureChannelCredentials.create())
                .build();
    }

    KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    LeaseGrpc.LeaseBlockingStub leases() {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    MaintenanceGrpc.MaintenanceBlockingStub maintenance() {
        return MaintenanceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    long put(String key, String value, long lease) {
        return kv().put(PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8(value))
                        .setLease(lease)
                        .build())
                .getHeader()
                .getRevision();
    }

    Optional<KeyValue> get(String key) {
        List<KeyValue> found = kv().range(RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .build())
                .getKvsList();
        return found.stream().findFirst();
    }

    /** All keys that begin that way. */
    List<String> keys(String prefix) {
        byte[] end = prefix.getBytes(StandardCharsets.UTF_8);
        end[end.length - 1]++;
        return kv()
                .range(RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(prefix))
                        .setRangeEnd(ByteString.copyFrom(end))
                        .setKeysOnly(true)
                        .build())
                .getKvsList()
                .stream()
                .map(found -> found.getKey().toStringUtf8())
                .toList();
    }

    void delete(String key) {
        var deleted = kv().deleteRange(DeleteRangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .build());
        if (deleted.getDeleted() != 1) {
            throw new AssertionError("there was no key " + key);
        }
    }

    long grant(long seconds) {
        return leases().leaseGrant(
                        LeaseGrantRequest.newBuilder().setTTL(seconds).build())
                .getID();
    }

    void revoke(long lease) {
        var unused = leases().leaseRevoke(
                        LeaseRevokeRequest.newBuilder().setID(lease).build());
    }

    /** What is left of it in seconds; -1 if it is over. */
    long left(long lease) {
        return leases().leaseTimeToLive(
                        LeaseTimeToLiveRequest.newBuilder().setID(lease).build())
                .getTTL();
    }

    /** Forgets all history up to now. */
    void compact() {
        long revision = put("/compact", "x", 0);
        var unused = kv().compact(CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(true)
                .build());
    }

    void alarm(boolean isRaised) {
        AlarmRequest.Builder request = AlarmRequest.newBuilder().setAlarm(AlarmType.NOSPACE);
        if (isRaised) {
            var unused = maintenance()
                    .alarm(request.setAction(AlarmRequest.AlarmAction.ACTIVATE).build());
            return;
        }
        for (AlarmMember member : maintenance()
                .alarm(AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.GET)
                        .build())
                .getAlarmsList()) {
            var unused = maintenance()
                    .alarm(request.setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                            .setMemberID(member.getMemberID())
                            .build());
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
