package dev.mandate.examples.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.NameResolverRegistry;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers, one of which leads, and one channel. */
@Timeout(120)
class LeaderNamesTest {
    private static final Marshaller<String> TEXT = new Marshaller<>() {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final MethodDescriptor<String, String> HELLO = MethodDescriptor.newBuilder(TEXT, TEXT)
            .setType(MethodType.UNARY)
            .setFullMethodName("Greeter/Hello")
            .build();

    /** Answers with its name and what it received. */
    private static Server server(String name) throws IOException {
        return Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(ServerServiceDefinition.builder("Greeter")
                        .addMethod(HELLO, ServerCalls.asyncUnaryCall((said, answer) -> {
                            answer.onNext(name + " " + said);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
    }

    /** Sends a call again that was under way when its server ended, as a retry policy of the channel would. */
    private static String call(ManagedChannel channel) {
        CallOptions patient = CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(60, TimeUnit.SECONDS);
        for (int i = 0; i < 10; i++) {
            try {
                return ClientCalls.blockingUnaryCall(channel, HELLO, patient, "hello");
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            }
        }
        throw new AssertionError("every try failed");
    }

    @Test
    void aCallReachesWhoeverLeads(@TempDir Path folder) throws Exception {
        String store = "sqlite:" + folder.resolve("mandate.db") + "?lease=3s";
        Server a = server("a");
        Server b = server("b");
        try (ElectionClient one = ElectionClient.connect(store);
                ElectionClient other = ElectionClient.connect(store);
                ElectionClient caller = ElectionClient.connect(store)) {
            NameResolverRegistry.getDefaultRegistry().register(new LeaderNames(caller));
            ManagedChannel channel = Grpc.newChannelBuilder("mandate:///invoices", InsecureChannelCredentials.create())
                    .build();
            Leadership first = one.election("invoices").campaign("127.0.0.1:" + a.getPort());
            assertThat(call(channel)).isEqualTo("a hello");

            a.shutdownNow().awaitTermination();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> call(channel));
            other.election("invoices").campaignAsync("127.0.0.1:" + b.getPort());
            first.close();

            assertThat(answer.join()).isEqualTo("b hello");
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        } finally {
            a.shutdownNow();
            b.shutdownNow();
        }
    }
}
