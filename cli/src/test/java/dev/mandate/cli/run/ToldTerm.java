package dev.mandate.cli.run;

import dev.mandate.EndReason;
import dev.mandate.FencingToken;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A term that lasts for as long as a test says. */
class ToldTerm implements Leadership {
    private volatile long endNanos;

    ToldTerm(Duration remaining) {
        lasts(remaining);
    }

    void lasts(Duration remaining) {
        endNanos = System.nanoTime() + remaining.toNanos();
    }

    @Override
    public String election() {
        return "größe";
    }

    @Override
    public FencingToken fencingToken() {
        return new FencingToken(election(), 42);
    }

    @Override
    public boolean isValid() {
        return !remaining().isZero();
    }

    @Override
    public void ensureValid() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }

    @Override
    public void reportProgress() {}

    @Override
    public boolean isStopRequested() {
        return !isValid();
    }

    @Override
    public CompletionStage<Void> stopRequested() {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<EndReason> ended() {
        return new CompletableFuture<>();
    }

    @Override
    public void proclaim(String value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resign() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
