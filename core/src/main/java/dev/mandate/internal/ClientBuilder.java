package dev.mandate.internal;

import dev.mandate.ElectionClient;
import dev.mandate.Guarantee;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.ElectionStore;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Collects the settings of a client. */
public final class ClientBuilder implements ElectionClient.Builder {
    public ClientBuilder(String url) {}

    public ClientBuilder(ElectionStore store) {}

    @Override
    public ElectionClient.Builder candidate(String v) {
        return this;
    }

    @Override
    public ElectionClient.Builder lease(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder q(double v) {
        return this;
    }

    @Override
    public ElectionClient.Builder guard(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder renew(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder answer(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder retry(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder drain(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder poll(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder leaderPoll(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder splay(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder coolDown(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder settle(Settle v) {
        return this;
    }

    @Override
    public ElectionClient.Builder settleForeign(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder onOverrun(OverrunPolicy v) {
        return this;
    }

    @Override
    public ElectionClient.Builder require(Guarantee v) {
        return this;
    }

    @Override
    public ElectionClient.Builder startup(Duration v) {
        return this;
    }

    @Override
    public ElectionClient.Builder executor(Executor v) {
        return this;
    }

    @Override
    public ElectionClient connect() {
        throw new UnsupportedOperationException("not built yet");
    }
}
