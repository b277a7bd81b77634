package dev.mandate.azureblob;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.ServerTrials;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidate processes, while their emulator is frozen, stopped and emptied. */
@Execution(ExecutionMode.CONCURRENT)
class AzuriteDisturbedServerIT extends ServerTrials {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    protected TrialServer start() {
        return new Stoppable(Azurite.settings(ServerProcess.of(ServerBinary.named(Azurite.NAME)))
                .start());
    }

    /** Killed without a goodbye, the emulator forgets what it confirmed in the last five seconds; the service does not. So it is stopped. */
    private record Stoppable(ServerProcess server) implements TrialServer {
        @Override
        public int port() {
            return server.port("blob");
        }

        @Override
        public void freeze() {
            server.freeze();
        }

        @Override
        public void thaw() {
            server.thaw();
        }

        @Override
        public void restart() {
            ProcessHandle.of(server.pid()).ifPresent(ProcessHandle::destroy);
            Await.until("the emulator to end", PATIENCE, () -> !server.isAlive());
            server.restart();
        }

        @Override
        public void restartWithoutData() {
            server.restartWithoutData();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Override
    protected String url(int port) {
        return AzuriteTrialsServerIT.through(port);
    }

    @Override
    protected Duration lease() {
        return AzuriteTrialsServerIT.LEASE;
    }
}
