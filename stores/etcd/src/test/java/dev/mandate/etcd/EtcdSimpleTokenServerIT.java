package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreClient;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tokens that the server remembers. */
@Execution(ExecutionMode.CONCURRENT)
class EtcdSimpleTokenServerIT extends EtcdAuthScenarios {
    private static ServerProcess server;

    @BeforeAll
    static void start() {
        server = start("--auth-token-ttl", Integer.toString(TOKEN_SECONDS));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    ServerProcess server() {
        return server;
    }

    /** A client that was given a user goes on when the server begins to ask for it, and so does its watch. */
    @Test
    void usersMayComeLater() throws Exception {
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        try (ServerProcess later = EtcdServer.alone(EtcdServer.V35);
                FaultProxy network = FaultProxy.to("127.0.0.1", later.port("client"));
                StoreClient client = EtcdServer.client(url("app", network.port()));
                Subscription watch = client.store().watch(RecordKey.elections(), hints::add)) {
            assertThat(watch).isNotNull();
            Observation.Held held = client.lead(StoreClient.key("later"));

            enable(later);

            assertThat(client.renew()).isInstanceOf(SessionRenewal.Renewed.class);
            assertThat(client.update(held, Intent.PROCLAIM)).isInstanceOf(WriteOutcome.Written.class);
            network.reset();
            RecordKey next = StoreClient.key("next");
            StoreClient.answer(client.store().read(next, StoreClient.call()).handle((seen, failure) -> true));
            client.lead(next);
            Await.until(
                    "a hint of " + next,
                    PATIENCE,
                    () -> hints.stream().anyMatch(hint -> hint == Hint.Gap.INSTANCE || EtcdFixture.isOf(next, hint)));
        }
    }
}
