package dev.mandate.internal;

import dev.mandate.Eviction;
import dev.mandate.Eviction.Outcome;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Queued;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.Now;
import dev.mandate.engine.Queue;
import dev.mandate.engine.QueueOrder;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Questions to the store, each asked once for a caller that waits: who leads, who leads what, evictions. The loop makes
 * the calls, as it makes all; the caller's thread waits, for a bounded time.
 */
final class Inquiries {
    private static final int PAGES_MAX = 10_000;
    /** How often an eviction is tried while the record changes under it. */
    private static final int TRIES = 8;

    private final Client client;
    private final ElectionStore store;
    private final Set<CompletableFuture<?>> waiting = ConcurrentHashMap.newKeySet();

    Inquiries(Client client, ElectionStore store) {
        this.client = client;
        this.store = store;
    }

    /** The client is closed: releases all callers that wait. */
    void finished() {
        waiting.forEach(w -> w.completeExceptionally(client.closedException()));
    }

    // ---- asking ----

    private <T> T ask(Verb verb, String what, Function<CallContext, CompletionStage<T>> call) {
        client.requireOpen();
        long timeoutNanos = client.timing().requestTimeoutNanos();
        CompletableFuture<T> answer = new CompletableFuture<>();
        waiting.add(answer);
        try {
            if (!client.loop().command(now -> send(verb, answer, timeoutNanos, call, now))) {
                throw client.closedException();
            }
            if (!client.host().await(answer, client.host().nanos() + timeoutNanos) && answer.cancel(false)) {
                throw new StoreUnavailableException(client.storeName() + " did not answer within "
                        + timeoutNanos / 1_000_000 + " ms when asked to " + what);
            }
            return answer.join();
        } catch (InterruptedException e) {
            answer.cancel(false);
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while " + client.storeName() + " was asked to " + what, e);
        } catch (java.util.concurrent.CompletionException e) {
            throw thrown(what, Causes.unwrapped(e));
        } finally {
            waiting.remove(answer);
        }
    }

    private <T> void send(
            Verb verb,
            CompletableFuture<T> answer,
            long timeoutNanos,
            Function<CallContext, CompletionStage<T>> call,
            Now now) {
        if (answer.isDone()) {
            // The caller has given up: what it was told must stay true.
            return;
        }
        client.loop().calls().send(verb, now, timeoutNanos, call, new StoreCalls.Outcome<T>() {
            @Override
            public void answered(T value, Now then) {
                answer.complete(value);
            }

            @Override
            public void failed(Throwable why, Now then) {
                answer.completeExceptionally(why);
            }
        });
    }

    private RuntimeException thrown(String what, Throwable why) {
        if (why instanceof StoreSetupException) {
            return new StoreSetupException(String.valueOf(why.getMessage()), why);
        }
        return why instanceof IllegalStateException && why.getMessage() != null && client.isClosing()
                ? client.closedException()
                : new StoreUnavailableException(
                        client.storeName() + " failed when asked to " + what + ": " + why.getMessage(), why);
    }

    private Observation read(RecordKey key) {
        return ask(Verb.READ, "read election '" + key.name() + "'", call -> store.read(key, call));
    }

    // ---- who leads ----

    LeaderView leader(ClientElection election) {
        try {
            Observation seen = read(election.key());
            return seen instanceof Observation.Held held
                    ? new LeaderView.Led(leader(held), Duration.ZERO)
                    : new LeaderView.Vacant(Duration.ZERO);
        } catch (StoreUnavailableException e) {
            return new LeaderView.Unknown(election.present().age());
        }
    }

    /** Where observers judge, a single read does not tell the living from the dead. */
    private Leader leader(Observation.Held held) {
        return Leaders.of(held, client.traits().expiry() == Expiry.STORE_REMOVES);
    }

    List<Leader> leaders(String prefix, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + "; it must be 1 or more");
        }
        TreeMap<String, Leader> first = new TreeMap<>(Comparator.naturalOrder());
        list("list the leaders", RecordKey.elections(), seen -> {
            if (seen instanceof Observation.Held held && held.key().name().startsWith(prefix)) {
                first.put(held.key().name(), leader(held));
                if (first.size() > limit) {
                    first.pollLastEntry();
                }
            }
        });
        return first.entrySet().stream().map(Map.Entry::getValue).toList();
    }

    // ---- what there is ----

    /**
     * Passes everything below {@code prefix} to {@code each}, a page at a time.
     *
     * @return false if the store never shows a last page, so that there may be more
     * @throws StoreUnavailableException if the store did not answer in time
     */
    boolean list(String what, RecordKey prefix, Consumer<Observation> each) {
        Cursor from = Cursor.START;
        for (int page = 0; page < PAGES_MAX; page++) {
            Cursor start = from;
            Page<Observation> answer = ask(Verb.LIST, what, call -> store.list(prefix, start, call));
            answer.items().forEach(each);
            Cursor after = answer.after();
            if (after == null || after.equals(from)) {
                return after == null;
            }
            from = after;
        }
        return false;
    }

    List<Queued> queue(RecordKey election) {
        Queue queue = new Queue(QueueOrder.of(client.traits()));
        String what = "list the queue of election '" + election.name() + "'";
        boolean isWhole = list(what, RecordKey.queue(election.name()), seen -> {
            queue.put(seen.key(), seen instanceof Observation.Held held ? queue.read(held) : null);
        });
        if (!isWhole) {
            throw new StoreUnavailableException(
                    client.storeName() + " returned pages without end when asked to " + what);
        }
        return FollowedQueues.inOrder(queue);
    }

    // ---- evictions ----

    /** Sets the leave flag on the current attempt, even if its record changes meanwhile. */
    Eviction evict(ClientElection election) {
        RecordKey key = election.key();
        Observation seen = read(key);
        Observation.Held first = null;
        for (int i = 0; i < TRIES; i++) {
            Eviction done = unlessSame(seen, first, false);
            if (done != null) {
                return done;
            }
            Observation.Held held = (Observation.Held) seen;
            first = first == null ? held : first;
            if (held.record().leave()) {
                return new Eviction(Outcome.ASKED_BEFORE, leader(held), Duration.ZERO);
            }
            WriteOutcome outcome = ask(
                    Verb.UPDATE,
                    "ask the leader of election '" + key.name() + "' to leave",
                    call -> store.update(
                            key, held, held.record().withTerm(held.term()).askedToLeave(), Intent.ASK_TO_LEAVE, call));
            if (outcome instanceof WriteOutcome.Written) {
                return new Eviction(Outcome.ASKED, leader(held), Duration.ZERO);
            }
            seen = ((WriteOutcome.Refused) outcome).now().orElseGet(() -> read(key));
        }
        throw changing(key);
    }

    /** Frees the current attempt, even if its record changes meanwhile. */
    Eviction evictByForce(ClientElection election) {
        RecordKey key = election.key();
        Observation seen = read(key);
        Observation.Held first = null;
        for (int i = 0; i < TRIES; i++) {
            Eviction done = unlessSame(seen, first, true);
            if (done != null) {
                return done;
            }
            Observation.Held held = (Observation.Held) seen;
            first = first == null ? held : first;
            WriteOutcome outcome =
                    ask(Verb.RELEASE, "free election '" + key.name() + "'", call -> store.release(key, held, call));
            if (outcome instanceof WriteOutcome.Written) {
                return new Eviction(Outcome.FREED, leader(held), overlap(held));
            }
            seen = ((WriteOutcome.Refused) outcome).now().orElseGet(() -> read(key));
        }
        throw changing(key);
    }

    /** Null while {@code seen} still shows the holder of {@code first}; else the result to return. */
    private @Nullable Eviction unlessSame(Observation seen, Observation.@Nullable Held first, boolean byForce) {
        if (!(seen instanceof Observation.Held held)) {
            return new Eviction(Outcome.VACANT, first == null ? null : leader(first), Duration.ZERO);
        }
        if (held.isForeign() && !byForce) {
            return new Eviction(Outcome.FOREIGN, leader(held), Duration.ZERO);
        }
        if (first == null) {
            return null;
        }
        boolean isSame = held.isForeign()
                ? first.isForeign() && first.shown().equals(held.shown())
                : !first.isForeign() && held.isAttempt(first.record().attempt());
        return isSame ? null : new Eviction(Outcome.MOVED_ON, leader(first), Duration.ZERO);
    }

    /** For how long two may believe they lead: by our settings, or the record's lease if longer; we know no others. */
    private Duration overlap(Observation.Held held) {
        Duration ours = client.timing().bounds(client.traits()).forcedOverlap();
        Duration theirs = held.lease().orElse(Duration.ZERO);
        boolean isLonger = client.traits().leaseScope() == LeaseScope.RECORD
                && theirs.toNanos() > client.timing().leaseNanos();
        return isLonger || (held.isForeign() && theirs.compareTo(ours) > 0) ? theirs : ours;
    }

    private StoreUnavailableException changing(RecordKey key) {
        return new StoreUnavailableException(client.storeName() + " refused " + TRIES
                + " times because the record of election '" + key.name() + "' kept changing; try again");
    }
}
