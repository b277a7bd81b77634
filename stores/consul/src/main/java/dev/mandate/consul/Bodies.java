package dev.mandate.consul;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Receives bodies within size limits. */
final class Bodies {
    /** Consul's own limits are far below this. */
    static final int BYTES_MAX = 16 << 20;

    /** The rest of an error is not read. */
    private static final int ERROR_BYTES_MAX = 4 << 10;

    private Bodies() {}

    /** Receives whole bodies; of errors, the beginning. */
    static HttpResponse.BodyHandler<byte[]> whole() {
        return head -> new Whole(isError(head) ? ERROR_BYTES_MAX : BYTES_MAX, isError(head));
    }

    /** Passes each entry to {@code sink} and counts bytes in {@code counter}; of errors, receives the beginning. */
    static HttpResponse.BodyHandler<byte[]> entries(Consumer<KvEntry> sink, LongConsumer counter) {
        return head -> head.statusCode() == 200 ? new Entries(sink, counter) : new Whole(ERROR_BYTES_MAX, true);
    }

    private static boolean isError(HttpResponse.ResponseInfo head) {
        return head.statusCode() != 200 && head.statusCode() != 409;
    }

    private abstract static class Piecewise implements HttpResponse.BodySubscriber<byte[]> {
        final CompletableFuture<byte[]> done = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;

        abstract void take(byte[] piece) throws IOException;

        abstract byte[] end() throws IOException;

        @Override
        public CompletionStage<byte[]> getBody() {
            return done;
        }

        @Override
        public void onSubscribe(Flow.Subscription opened) {
            subscription = opened;
            opened.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            try {
                for (ByteBuffer buffer : buffers) {
                    byte[] piece = new byte[buffer.remaining()];
                    buffer.get(piece);
                    if (!done.isDone()) {
                        take(piece);
                    }
                }
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
            Flow.Subscription open = subscription;
            if (done.isDone() && open != null) {
                open.cancel();
            }
        }

        @Override
        public void onError(Throwable thrown) {
            done.completeExceptionally(thrown);
        }

        @Override
        public void onComplete() {
            try {
                if (!done.isDone()) {
                    done.complete(end());
                }
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }
    }

    private static final class Whole extends Piecewise {
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private final int most;
        private final boolean mayBeCut;

        Whole(int most, boolean mayBeCut) {
            this.most = most;
            this.mayBeCut = mayBeCut;
        }

        @Override
        void take(byte[] piece) throws IOException {
            body.write(piece, 0, Math.min(piece.length, most - body.size()));
            if (body.size() == most) {
                if (!mayBeCut) {
                    throw new MalformedAnswerException("it has more than " + most + " bytes");
                }
                done.complete(end());
            }
        }

        @Override
        byte[] end() {
            return body.toByteArray();
        }
    }

    private static final class Entries extends Piecewise {
        private final Consumer<KvEntry> sink;
        private final LongConsumer counter;
        private @Nullable KvStream stream;

        Entries(Consumer<KvEntry> sink, LongConsumer counter) {
            this.sink = sink;
            this.counter = counter;
        }

        private KvStream stream() throws IOException {
            KvStream open = stream;
            if (open == null) {
                open = new KvStream(sink);
                stream = open;
            }
            return open;
        }

        @Override
        void take(byte[] piece) throws IOException {
            counter.accept(piece.length);
            stream().feed(piece, piece.length);
        }

        @Override
        byte[] end() throws IOException {
            stream().end();
            return new byte[0];
        }
    }
}
