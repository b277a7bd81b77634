package dev.mandate.testkit;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What several {@linkplain PlantedStoreBug planted bugs} do. */
final class Mistakes {
    private Mistakes() {}

    static void updateWhatStands(BuggyStore store) {
        store.onUpdate((real, basis, record, intent, call) -> overwrite(real, basis, record, call));
    }

    static void eraseWhatStands(BuggyStore store) {
        store.onErase((real, basis, call) -> real.read(basis.key(), call)
                .thenCompose(now -> real.erase(now instanceof Observation.Vacant vacant ? vacant : basis, call)));
    }

    static CompletionStage<WriteOutcome> overwrite(
            ElectionStore real, Observation.Held basis, LeaderRecord record, CallContext call) {
        return real.read(basis.key(), call)
                .thenCompose(now -> real.update(
                        basis.key(),
                        now instanceof Observation.Held held ? held : basis,
                        record,
                        Intent.PROCLAIM,
                        call));
    }

    /** Renews with that intent, too, and does not say so. */
    static void renewing(BuggyStore store, Intent silently) {
        store.onUpdate((real, basis, record, intent, call) -> real.update(
                        basis.key(), basis, record, intent == silently ? Intent.RENEW : intent, call)
                .thenApply(outcome -> outcome instanceof WriteOutcome.Written written && intent == silently
                        ? WriteOutcome.written(written.now())
                        : outcome));
    }

    static WriteOutcome withTerm(WriteOutcome outcome, long term) {
        return outcome instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held
                ? WriteOutcome.renewed(
                        Observation.held(
                                held.key(),
                                held.basis(),
                                held.liveness(),
                                term,
                                held.record().withTerm(term)),
                        written.granted().orElseThrow())
                : outcome;
    }

    static void alwaysRenewed(BuggyStore store) {
        store.onRenew((real, call) -> real.renew(call).thenApply(renewal -> SessionRenewal.renewed(real.granted())));
    }

    static RecordKey lowerCase(RecordKey key) {
        List<String> segments =
                key.segments().stream().map(s -> s.toLowerCase(Locale.ROOT)).toList();
        return new RecordKey(key.space(), segments);
    }

    static void watchWhatIsUsed(BuggyStore store) {
        Set<RecordKey> used = ConcurrentHashMap.newKeySet();
        store.onRead((real, key, call) -> {
            used.add(key);
            return real.read(key, call);
        });
        store.onWatch((real, prefix, hints) -> real.watch(prefix, hint -> {
            if (!(hint instanceof Hint.Seen seen)
                    || used.contains(seen.observation().key())) {
                hints.accept(hint);
            }
        }));
    }

    /** A prefix without segments is taken for none. */
    static void hideWholeSpaces(BuggyStore store) {
        store.onList((real, prefix, from, call) -> prefix.segments().isEmpty()
                ? CompletableFuture.completedStage(new Page<>(List.of(), null))
                : real.list(prefix, from, call));
        store.onWatch(
                (real, prefix, hints) -> prefix.segments().isEmpty() ? Subscription.NONE : real.watch(prefix, hints));
    }

    static RecordKey parent(RecordKey key) {
        int depth = key.segments().size();
        return new RecordKey(key.space(), key.segments().subList(0, Math.max(0, depth - 1)));
    }

    static Subscription watchForEver(ElectionStore real, RecordKey prefix, Consumer<Hint> hints) {
        real.watch(prefix, hints);
        return Subscription.NONE;
    }
}
