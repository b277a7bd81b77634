package dev.mandate.peers.store;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.register.WriteId;
import dev.mandate.peers.runtime.Nodes;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Elections in a register that a majority of the instances keeps: see {@code docs/adr/0035}. Each client has a share of
 * the node of this process.
 *
 * <p>What an answer means:
 *
 * <ul>
 *   <li><b>Written or refused</b>: a majority of the voters answered.
 *   <li><b>Setup</b>: members disagree about their group, or voters reject the lease. A write that was under way when
 *       members began to disagree may or may not take effect.
 *   <li><b>Unknown</b>: everything else. A later read may still complete a write.
 * </ul>
 *
 * <p><em>Threads:</em> all methods but {@link #close} return at once; answers come on the node's thread. Thread-safe.
 */
class GroupStore implements ElectionStore, Diagnosable {
    private static final Duration ASKING = Duration.ofMillis(500);

    private static final Duration DIAGNOSING = Duration.ofMillis(1_500);

    private final GroupSettings settings;
    private final Nodes.Share share;
    private final StoreTraits traits;
    private final GroupDiagnosis diagnosis;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isAsking = new AtomicBoolean();
    private volatile boolean closed;

    GroupStore(GroupSettings settings, Nodes.Share share) {
        this.settings = settings;
        this.share = share;
        this.traits = GroupTraits.of(settings);
        this.diagnosis = new GroupDiagnosis(settings, share.node());
    }

    Nodes.Share share() {
        return share;
    }

    GroupSettings settings() {
        return settings;
    }

    /** A subscription that ends with this store at the latest. */
    Subscription kept(Subscription subscription) {
        subscriptions.add(subscription);
        if (closed) {
            subscription.close();
        }
        return () -> {
            subscriptions.remove(subscription);
            subscription.close();
        };
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    private CompletableFuture<CallResult> call(Call call, CallContext context) {
        return closed
                ? CompletableFuture.failedFuture(
                        new StoreUnavailableException(traits.name() + ": this store is closed"))
                : share.node().call(call, context);
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext context) {
        return call(new Call.Read(key), context).thenApply(result -> {
            Outcome outcome = outcome(result, "reading " + key);
            if (outcome instanceof Outcome.Read read) {
                return Value.observation(key, read.value());
            }
            throw unknown("reading " + key, outcome);
        });
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext context) {
        return call(new Call.ListKeys(prefix, from.opaque()), context).thenApply(result -> {
            if (result instanceof CallResult.Listed listed) {
                String after = listed.after();
                return new Page<>(listed.items(), after == null ? null : new Cursor(after));
            }
            String what = "listing " + prefix;
            throw unknown(what, outcome(result, what));
        });
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key,
            Observation basis,
            LeaderRecord proposal,
            @Nullable StoreSession session,
            CallContext context) {
        if (proposal.lease().compareTo(settings.maxLease()) > 0) {
            return CompletableFuture.failedFuture(
                    new StoreSetupException(tooLong(proposal.lease(), settings.maxLease())));
        }
        Optional<Duration> longest = diagnosis.longestLease();
        if (longest.isPresent() && proposal.lease().compareTo(longest.get()) > 0) {
            // They may have been restarted with another bound since.
            askWhy();
            return CompletableFuture.failedFuture(new StoreSetupException(tooLong(proposal.lease(), longest.get())));
        }
        if (!(basis.basis() instanceof WriteId wanted)) {
            return CompletableFuture.completedFuture(WriteOutcome.refused());
        }
        return write(
                "acquiring " + key, key, new Call.Acquire(key, wanted.write(), proposal), proposal.lease(), context);
    }

    private String tooLong(Duration asked, Duration granted) {
        return traits.name() + ": the lease is " + Durations.text(asked) + ", and the members grant at most "
                + Durations.text(granted) + "; ask for that, or give all members maxLease="
                + Durations.text(asked);
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext context) {
        return basis.basis() instanceof WriteId wanted
                ? write(
                        "updating " + key,
                        key,
                        new Call.Update(key, wanted.write(), record, intent),
                        record.lease(),
                        context)
                : CompletableFuture.completedFuture(WriteOutcome.refused());
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext context) {
        return basis.basis() instanceof WriteId wanted
                ? write("releasing " + key, key, new Call.Release(key, wanted.write()), Duration.ZERO, context)
                : CompletableFuture.completedFuture(WriteOutcome.refused());
    }

    /**
     * {@inheritDoc} Asks a majority whether the basis is still current, and writes nothing: voters forget a vacant key
     * after two {@code maxLease}. If they forgot it sooner, a lagging voter could bring back a holder that has
     * released. Until then the key reads vacant at the same basis; tokens rise over it: promises are never forgotten.
     */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext context) {
        return read(basis.key(), context).thenApply(now -> WriteOutcome.compared(basis, now));
    }

    private CompletionStage<WriteOutcome> write(
            String what, RecordKey key, Call call, Duration lease, CallContext context) {
        return call(call, context).thenApply(result -> {
            Outcome outcome = outcome(result, what);
            if (outcome instanceof Outcome.Written written) {
                Observation now = Value.observation(key, written.value());
                boolean renews = written.renews() && now instanceof Observation.Held;
                return renews ? WriteOutcome.renewed(now, lease) : WriteOutcome.written(now);
            } else if (outcome instanceof Outcome.Refused refused) {
                return refused.isKnown()
                        ? WriteOutcome.refused(Value.observation(key, refused.value()))
                        : WriteOutcome.refused();
            }
            throw unknown(what, outcome);
        });
    }

    private static Outcome outcome(CallResult result, String what) {
        if (result instanceof CallResult.Ended ended) {
            return ended.outcome();
        } else if (result instanceof CallResult.Disagreed disagreed) {
            throw new StoreSetupException(disagreed.sentence());
        }
        throw new IllegalStateException(what + " ended as " + result);
    }

    private ElectionException unknown(String what, Outcome outcome) {
        if (outcome instanceof Outcome.Rejected rejected) {
            return rejected.reason() == Message.Reason.LEASE
                    ? new StoreSetupException(traits.name() + ": " + what
                            + ": the lease is longer than the members grant; ask for a shorter one, or give all"
                            + " members a longer maxLease")
                    : new StoreUnavailableException(
                            traits.name() + ": " + what + ": the voters hold the maximum number of keys");
        }
        List<Integer> silent = outcome instanceof Outcome.Unknown unknown ? unknown.silent() : List.of();
        askWhy();
        return new StoreUnavailableException(traits.name() + ": " + what + ": " + diagnosis.why(silent));
    }

    /** Asks voters for their status, for the next message: during their quarantine they answer nothing else. */
    private void askWhy() {
        if (!isAsking.compareAndSet(false, true)) {
            return;
        }
        try {
            call(new Call.AskStatus(), CallContext.within(ASKING)).whenComplete((result, failure) -> {
                // First: the answer may be unusable.
                isAsking.set(false);
                if (result instanceof CallResult.Asked asked) {
                    diagnosis.heard(asked.voters());
                }
            });
        } catch (RuntimeException | Error e) {
            // The next message says less.
            isAsking.set(false);
        }
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return kept(share.node().audience().watch(prefix, hints));
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext context) {
        // The call would wait until its deadline for members that are away.
        Duration most = context.remaining().compareTo(DIAGNOSING) < 0 ? context.remaining() : DIAGNOSING;
        return call(new Call.AskStatus(), CallContext.within(most))
                .handle((result, why) -> diagnosis.findings(result, lease));
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.forEach(Subscription::close);
        subscriptions.clear();
        share.close();
    }
}
