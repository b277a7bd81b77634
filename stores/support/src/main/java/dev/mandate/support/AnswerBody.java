package dev.mandate.support;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A body that can be dropped. One that nobody reads would keep its connection for ever. */
final class AnswerBody<T> implements HttpResponse.BodySubscriber<T> {
    private final HttpResponse.BodySubscriber<T> reader;
    private final CompletionStage<T> body;
    /** Guarded by this. */
    private Flow.@Nullable Subscription subscription;
    /** Guarded by this. */
    private boolean isDropped;

    AnswerBody(HttpResponse.BodySubscriber<T> reader) {
        this.reader = reader;
        // Asked for once: some readers convert the body each time.
        this.body = reader.getBody();
    }

    /** Cuts the connection, unless the whole body was read. */
    void drop() {
        Flow.Subscription open;
        synchronized (this) {
            isDropped = true;
            open = subscription;
        }
        if (open != null) {
            open.cancel();
        }
    }

    @Override
    public CompletionStage<T> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription opened) {
        boolean isOver;
        synchronized (this) {
            subscription = opened;
            isOver = isDropped;
        }
        reader.onSubscribe(opened);
        if (isOver) {
            opened.cancel();
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        reader.onNext(buffers);
    }

    @Override
    public void onError(Throwable thrown) {
        reader.onError(thrown);
    }

    @Override
    public void onComplete() {
        reader.onComplete();
    }
}
