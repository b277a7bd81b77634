package dev.mandate.etcd;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StalledDisk;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The server of this test is older than 3.4.31: were the disk mended, the deposed leader would revoke leases that live.
 */
@Execution(ExecutionMode.CONCURRENT)
class EtcdStaleLeader34ServerIT extends EtcdStaleLeaderScenarios {
    @Override
    String version() {
        return EtcdServer.V34;
    }

    @Override
    void end(ServerProcess stale, StalledDisk disk) {
        // It is told to die before its disk comes back.
        CompletableFuture<Void> killed = CompletableFuture.runAsync(stale::kill);
        Await.passing(Duration.ofSeconds(1));
        disk.close();
        killed.join();
    }
}
