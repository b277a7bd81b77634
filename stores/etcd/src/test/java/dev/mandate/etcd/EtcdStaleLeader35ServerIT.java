package dev.mandate.etcd;

import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StalledDisk;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class EtcdStaleLeader35ServerIT extends EtcdStaleLeaderScenarios {
    @Override
    String version() {
        return EtcdServer.V35;
    }

    @Override
    void end(ServerProcess stale, StalledDisk disk) {
        disk.close();
    }
}
