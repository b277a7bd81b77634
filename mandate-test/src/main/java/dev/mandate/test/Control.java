package dev.mandate.test;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.FencingToken;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a test does to one election. */
final class Control {
    /** How long anything here may take, in leases; the longest cool-down is six. */
    private static final int LEASES_MAX = 8;

    /** How long a term goes on without a confirmed read is several times this. */
    private static final Duration UNSEEN_MAX = Duration.ofMinutes(30);

    private final TestMachine machine;
    private final TestStore store;
    private final Election real;
    private final RecordKey key;

    /** The largest token that was given. */
    private long newest;

    /** Without a lock: a task may close its client while a test waits for that task to rest. */
    private final AtomicReference<@Nullable Other> other = new AtomicReference<>();

    /** Another candidate, and the term that it won. */
    private record Other(ElectionClient client, CompletableFuture<Leadership> won) {}

    Control(TestMachine machine, TestStore store, Election real) {
        this.machine = machine;
        this.store = store;
        this.real = real;
        this.key = RecordKey.election(real.name());
    }

    synchronized void elect(long token) {
        machine.host().own();
        requireNotLeading();
        if (store.isCut()) {
            throw new IllegalStateException("the store is cut off, so nobody can be elected; call healStore() first");
        }
        use(token);
        endOther();
        store.grant(key, token);
        passUntil(() -> !store.isGranted(key) || !isElectable());
    }

    private boolean isElectable() {
        return switch (real.status().state()) {
            case NOT_CAMPAIGNING, WAITING_FOR_OVERRUN -> false;
            default -> true;
        };
    }

    synchronized void electOther(String candidate, long token) {
        machine.host().own();
        requireNotLeading();
        lead(candidate, token);
    }

    private void lead(String candidate, long token) {
        use(token);
        endOther();
        TestMachine.Opened opened = machine.open(candidate);
        opened.store().grant(key, token);
        CompletableFuture<Leadership> won =
                opened.client().election(real.name()).campaignAsync(candidate).toCompletableFuture();
        other.set(new Other(opened.client(), won));
        passUntil(won::isDone);
    }

    void endOther() {
        Other ended = other.getAndSet(null);
        if (ended != null) {
            ended.won.thenAccept(Leadership::close);
            ended.client.close();
        }
    }

    private void use(long token) {
        if (token <= newest) {
            throw new IllegalArgumentException("token is " + token + ", but tokens of an election increase, and '"
                    + real.name() + "' has had " + newest + "; give a larger one");
        }
        newest = token;
    }

    private void requireNotLeading() {
        CandidacyStatus status = real.status();
        if (status.isLeader()) {
            throw new IllegalStateException("your program leads '" + real.name() + "' already, with token "
                    + status.fencingToken().map(FencingToken::toString).orElse("")
                    + "; end that term first: lose(reason)");
        }
    }

    synchronized void lose(EndReason reason) {
        machine.host().own();
        if (!real.status().isLeader()) {
            throw new IllegalStateException("your program doesn't lead '" + real.name() + "', so it can't lose: "
                    + real.status().reason());
        }
        if (store.isCut()) {
            throw new IllegalStateException(
                    "the store is cut off: advance() by the lease, and the term ends by itself");
        }
        switch (reason) {
            case EVICTED -> {
                real.evict();
                awaitLoss();
            }
            case LEASE_RAN_OUT -> {
                store.cut();
                awaitLoss();
            }
            case DISPLACED -> {
                store.deafen();
                machine.server().delete(key);
                lead("other", newest + 1);
            }
            case VANISHED -> machine.server().delete(key);
            case SESSION_ENDED -> {
                store.blindfold();
                machine.server().endSession(key);
                awaitLoss();
            }
            case UNSEEN -> {
                store.blindfold();
                pass(UNSEEN_MAX, this::isOver);
            }
            default -> throw new IllegalArgumentException(byItself(reason));
        }
        store.heal();
        awaitLoss();
    }

    private static String byItself(EndReason reason) {
        String how = switch (reason) {
            case RESIGNED -> "call resign() or close() on its Leadership";
            case WITHDRAWN -> "close its Candidacy or the client";
            case COMPLETED -> "let its task return";
            case FAILED -> "let its task throw";
            case STALLED -> "set a heartbeat, let its task give none, and advance by that time";
            case UNHEALTHY -> "let its health check say no, and advance by the time between checks";
            default -> "not supported";
        };
        return "only your program can end a term because " + reason + ": " + how;
    }

    synchronized void becomeUnknown() {
        machine.host().own();
        store.cut();
        passUntil(() -> isOver() && real.view() instanceof LeaderView.Unknown);
    }

    boolean isCampaigning() {
        return real.status().state() != CandidacyStatus.State.NOT_CAMPAIGNING;
    }

    private boolean isOver() {
        return !real.status().isLeader();
    }

    private void awaitLoss() {
        passUntil(this::isOver);
    }

    private void passUntil(BooleanSupplier isDone) {
        pass(machine.lease().multipliedBy(LEASES_MAX), isDone);
    }

    private void pass(Duration atMost, BooleanSupplier isDone) {
        machine.host().passUntil(machine.host().nanos() + atMost.toNanos(), isDone);
    }
}
